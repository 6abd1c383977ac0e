//! Everything of Tesuji that is compiled for connect four: its searches, self-play, sampling and solvers.
//!
//! A crate of its own, so that the games compile side by side, and a change of one does not compile the others again.

tesuji_learn::kit!(tesuji_connect4::Connect4);

//! A search with a mate solver before or beside it: what `mate=` means to an agent.

use super::beside::{Beside, Lockstep, Watch};
use crate::play::{MateOption, RootSolver, has_mate};
use tesuji_core::{Budget, Considered, Focus, Found, Game, MoveOf, Outcome, Position, Report, Search};
use tesuji_search::options::OptionValue;

impl OptionValue for MateOption {
    type Bounds = ();

    fn form((): &()) -> String {
        MateOption::FORMS.to_owned()
    }

    fn read(text: &str, (): &()) -> Option<MateOption> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// A search that plays a mate as soon as a solver has found one.
pub struct MateSearch<G: Game> {
    game: G,
    solver: RootSolver,
    beside: Beside,
    /// Simulations of one step of the search.
    batch: u64,
    look_for_mates: bool,
    /// Whether the last answer was a mate, which the search knows nothing of.
    mated: bool,
    search: Box<dyn Search<G::Position>>,
}

impl<G: Game> MateSearch<G> {
    /// The search with the solver that is meant, or as it is if none is. `batch` are the simulations of one of its
    /// steps.
    ///
    /// # Errors
    /// If a solver is meant and the game has no mate.
    pub fn wrap(
        game: &G,
        mate: MateOption,
        (beside, batch): (Beside, usize),
        search: Box<dyn Search<G::Position>>,
    ) -> Result<Box<dyn Search<G::Position>>, String> {
        let Some(solver) = RootSolver::new(mate) else { return Ok(search) };
        if !has_mate(game) {
            return Err(format!("mate={mate} does nothing here: {} has no mate", game.name()));
        }
        let (game, batch) = (game.clone(), batch as u64);
        Ok(Box::new(MateSearch { game, solver, beside, batch, look_for_mates: true, mated: false, search }))
    }

    /// The search beside the solver; the line of the mate, if it found one in time.
    fn beside(
        &mut self,
        grant: Option<u64>,
        root: &G::Position,
        budget: &Budget,
        report: &mut dyn Report<MoveOf<G>>,
    ) -> (Found<MoveOf<G>>, Option<Vec<MoveOf<G>>>) {
        let MateSearch { game, solver, search, .. } = self;
        let lockstep = Lockstep::new(grant);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let line = solver.mate_unless(game, root, &|| lockstep.gives_up());
                lockstep.finish(line.is_some());
                line
            });
            let found = search.search(root, budget, &mut Watch { report, solver: &lockstep });
            lockstep.cancel();
            match worker.join() {
                Ok(line) => (found, line),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

/// The answer that is a mate; `searched` is what was searched on the way.
fn mate_found<P: Position>(root: &P, line: Vec<P::Move>, searched: Option<&Found<P::Move>>) -> Found<P::Move> {
    let outcome = Outcome::Win(root.mover());
    let mut moves = Vec::new();
    root.moves(&mut moves);
    Found {
        best: line[0],
        policy: moves.into_iter().map(|mv| (mv, if mv == line[0] { 1.0 } else { 0.0 })).collect(),
        value: outcome.value(),
        proof: Some(outcome),
        depth: line.len() as u32,
        line,
        nodes: searched.map_or(0, |found| found.nodes),
        simulations: searched.map_or(0, |found| found.simulations),
        evaluations: searched.map_or(0, |found| found.evaluations),
    }
}

impl<G: Game> Search<G::Position> for MateSearch<G> {
    fn refusal(&self, root: &G::Position) -> Option<String> {
        self.search.refusal(root)
    }

    fn search(&mut self, root: &G::Position, budget: &Budget, report: &mut dyn Report<MoveOf<G>>) -> Found<MoveOf<G>> {
        self.mated = false;
        if !self.look_for_mates {
            return self.search.search(root, budget, report);
        }
        let grant = match self.beside {
            Beside::First => {
                let line = self.solver.mate(&self.game, root);
                self.mated = line.is_some();
                return match line {
                    Some(line) => mate_found(root, line, None),
                    None => self.search.search(root, budget, report),
                };
            }
            Beside::Thread => None,
            Beside::Nodes(nodes) => Some(nodes.saturating_mul(self.batch)),
        };
        let (found, line) = self.beside(grant, root, budget, report);
        self.mated = line.is_some();
        match line {
            Some(line) => mate_found(root, line, Some(&found)),
            None => found,
        }
    }

    fn advance(&mut self, mv: MoveOf<G>) {
        self.search.advance(mv);
    }

    fn focus(&mut self, focus: &Focus<MoveOf<G>>) {
        // A mate is one line by one move; whoever asks for certain moves or several lines wants the tree.
        self.look_for_mates = *focus == Focus::default();
        self.search.focus(focus);
    }

    fn considered(&self) -> Vec<Considered<MoveOf<G>>> {
        if self.mated { Vec::new() } else { self.search.considered() }
    }

    fn new_game(&mut self, seed: u64) {
        self.mated = false;
        self.search.new_game(seed);
    }
}

#[cfg(test)]
mod tests {
    use crate::agents::AgentSpec;
    use crate::agents::dqn::DqnKind;
    use crate::agents::pv::{PvKind, PvOptions};
    use crate::experiments::Experiment;
    use crate::networks::NetworkStore;
    use std::collections::BTreeMap;
    use tesuji_core::{Budget, Focus, Found, GameRules, Outcome, Position, Quiet, Rules, Search};
    use tesuji_games::shogi::Minishogi;
    use tesuji_nn::{NetworkFile, Weights};
    use tesuji_search::agent::AgentKind;
    use tesuji_search::options::read;

    fn game() -> Minishogi {
        Minishogi::new(Rules::Official)
    }

    type Searching = Box<dyn Search<<Minishogi as GameRules>::Position>>;
    type Answer = Found<<<Minishogi as GameRules>::Position as Position>::Move>;

    fn pv(options: &str) -> Result<Searching, String> {
        let mut given = PvOptions::default();
        read("pv", &format!("net=minishogi,{options}"), &mut given).map_err(|error| error.to_string())?;
        PvKind::build(&game(), &given, &NetworkStore::new(), 1)
    }

    fn answer(search: &mut Searching, position: &str, simulations: u64) -> Answer {
        let position = game().parse_position(position).unwrap();
        search.search(&position, &Budget::simulations(simulations), &mut Quiet)
    }

    const MATE: &str = "4k/5/4G/5/K4 b G 1";

    /// Mate in seven plies; depth-first search looks at 745 positions for it.
    const LONG: &str = "4g/P1sbk/2G1p/2S+r1/KR3 w b 32";

    #[test]
    fn a_mate_is_played_unless_other_moves_are_asked_for() {
        let mut search = pv("mate=dfpn:100").unwrap();
        let position = game().parse_position(MATE).unwrap();
        let found = answer(&mut search, MATE, 20);
        assert_eq!((found.simulations, found.proof), (0, Some(Outcome::Win(position.mover()))));
        let other = position.parse_move("5e4e").unwrap();
        assert_ne!(found.best, other);
        search.focus(&Focus { only: vec![other], lines: 1 });
        assert_eq!(answer(&mut search, MATE, 20).best, other);
        search.focus(&Focus::default());
        assert_eq!(answer(&mut search, MATE, 20).best, found.best);
    }

    /// A mate ends the search beside it, sooner the more positions the solver gets for a simulation; the answer is the
    /// same every time. A solver that gets too few is given up.
    #[test]
    fn a_solver_beside_the_search_ends_it() {
        let mut spent = Vec::new();
        for nodes in [2, 20, 200] {
            let line = format!("mate=dfs:7,solver=off,batch=4,beside={nodes}");
            let found = answer(&mut pv(&line).unwrap(), LONG, 4000);
            assert!(found.proof.is_some() && found.simulations < 4000, "{nodes}: {}", found.simulations);
            let again = answer(&mut pv(&line).unwrap(), LONG, 4000);
            assert_eq!((again.best, again.simulations), (found.best, found.simulations));
            spent.push(found.simulations);
        }
        assert!(spent[0] > spent[1] && spent[1] >= spent[2], "{spent:?}");
        let found = answer(&mut pv("mate=dfs:7,solver=off,batch=4,beside=1").unwrap(), LONG, 40);
        assert_eq!((found.proof, found.simulations), (None, 40));
        // A thread that nothing holds back finds it too, if it has the time.
        let found = answer(&mut pv("mate=dfs:7,solver=off,beside=thread").unwrap(), MATE, 100_000);
        assert!(found.proof.is_some() && found.simulations < 100_000);
        let error = AgentSpec::parse("pv:net=minishogi,beside=thread").unwrap_err().to_string();
        assert!(error.contains("does nothing here") && error.contains("mate"), "{error}");
    }

    /// A network of Q values that nobody has trained plays a mate that the solver finds, with a search and without.
    #[test]
    fn dqn_takes_a_mate_solver_too() {
        let text = "game = \"minishogi\"\n[network]\nkind = \"dqn\"\nhidden = [8]\n[method]\nkind = \"dqn\"\n";
        let about = Experiment::from_toml(text).unwrap().network_info(&game()).unwrap().float().unwrap();
        let weights = Weights::init(&about.spec.graph().unwrap(), 1);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("q.safetensors");
        NetworkFile { about, weights, state: BTreeMap::new() }.save(&path).unwrap();
        let position = game().parse_position(MATE).unwrap();
        for (options, proved) in [("", false), (",mate=dfs:3", true), (",mate=dfs:3,sims=20", true)] {
            let mut given = <DqnKind as AgentKind>::Options::default();
            read("dqn", &format!("net={}{options}", path.display()), &mut given).unwrap();
            let mut search = DqnKind::build(&game(), &given, &NetworkStore::new(), 1).unwrap();
            let found = answer(&mut search, MATE, 20);
            assert_eq!(found.proof.is_some(), proved, "{options}");
            let mut next = position.clone();
            next.play(found.best);
            assert!(!proved || next.outcome() == Some(Outcome::Win(position.mover())), "{options}");
        }
        let error = read("dqn", "mate=dfs:4", &mut <DqnKind as AgentKind>::Options::default()).unwrap_err();
        assert!(error.to_string().contains("dfs:DEPTH"), "{error}");
    }
}

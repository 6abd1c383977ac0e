// The signs of shogi and the numbers of its ranks, as strokes in a box of 100 by 100. Drawn for this page, so that no
// font is needed.

/** The signs of the pieces. */
/** @type {Record<string, string>} */
export const SIGNS = {
  pawn: "M50 5V40M51 21H76M28 17V40M9 41H91M50 49V71Q50 76 43 74M32 54Q28 64 17 71M66 53Q77 58 84 67M79 66Q60 90 15 97",
  lance:
    "M68 6Q48 13 24 15M11 30H89M50 13V56M48 32Q36 48 11 57M52 32Q66 48 90 56M30 63V98M30 63H70V98M30 79H70M30 95H70",
  knight:
    "M7 30H41M25 6V96M25 32Q20 54 5 68M27 42Q33 49 40 58M51 21H88M69 6V43M46 43H94M51 66H89M69 50V92M43 93H97",
  silver:
    "M27 4Q19 22 3 33M27 4Q35 18 47 28M15 37H39M10 54H44M27 37V88M13 63L18 77M40 61L35 75M5 94L47 86" +
    "M57 10H87V47H57M57 28H87M57 10V93L74 82M93 54Q84 62 74 66M66 48Q76 78 98 93",
  gold: "M50 3Q34 27 5 43M50 3Q66 27 95 43M28 43H72M15 61H85M50 43V92M27 69L34 83M73 68L65 83M7 94H93",
  bishop: "M39 3Q31 18 13 30M36 14H66Q62 25 54 33M24 35Q25 74 9 97M24 35H80V89Q80 97 67 93M25 54H80M25 73H80M52 35V91",
  rook:
    "M13 12H62Q63 37 90 47L94 34M85 11Q79 20 68 25M69 24Q80 28 87 35M47 23Q34 32 13 36M27 34V58Q26 82 9 97" +
    "M46 26V97M7 57H65Q66 85 92 95L96 82M89 56Q81 66 70 70M71 69Q82 73 89 80",
  king: "M15 13H85M20 50H80M7 90H93M50 13V90",
  "king.1": "M15 13H85M20 50H80M7 90H93M50 13V90M64 63L79 78",
  "pawn+": "M33 7Q36 30 46 47M86 30Q30 53 26 75Q24 95 60 94L86 91",
  "lance+": "M11 22H89M50 4V56M48 24Q36 45 9 57M52 24Q66 45 91 55M26 65H74V97M26 65V97M26 94H74",
  "knight+": "M21 20H79M50 5V44M9 44H91M20 67H80M50 50V92M7 93H93",
  "silver+": "M50 3Q34 28 5 45M50 3Q66 28 95 45M23 49H77M28 70H72M50 49V93M9 93H91",
  "bishop+":
    "M25 7V65M25 7H81M25 26H76M25 45H76M51 7V64M25 64H87Q87 93 79 96Q73 97 66 91M13 75L8 94M31 75L35 90M47 74L53 88" +
    "M62 73L70 84",
  "rook+":
    "M50 2V13M16 14H84M34 19L40 32M66 19L60 32M8 35H92M24 44H76V73H24ZM24 58H76M50 44V84Q50 95 62 95H84Q93 95 92 80",
};

/** The numbers of the ranks. */
/** @type {Record<string, string>} */
export const NUMBERS = {
  一: "M10 50H90",
  二: "M22 24H78M8 82H92",
  三: "M18 16H82M24 50H76M8 88H92",
  四: "M14 18H86V90M14 18V90M14 84H86M38 18Q38 48 24 64M60 18V50Q60 60 80 58",
  五: "M16 14H84M46 14L36 88M20 50H72L68 88M8 88H92",
  六: "M50 6V26M8 34H92M38 50Q32 72 12 94M60 50L88 92",
  七: "M8 52L90 38M44 8V78Q44 89 56 89H80Q90 89 89 72",
  八: "M40 18Q36 62 8 92M54 12H62Q66 62 94 90",
  九: "M38 6Q40 60 8 94M12 34H66V80Q66 91 78 91Q93 91 92 74",
};

// Latin letters for the international pieces, and small marks for the ways in which a piece goes: a short stroke for a step,
// a long one for any distance. The eight directions are numbered clockwise from straight ahead.
/** @type {Record<string, string>} */
export const LETTERS = {
  P: "M32 90V12H56Q76 12 76 32Q76 53 56 53H32",
  L: "M36 10V90H74",
  N: "M28 90V12L72 88V10",
  S: "M73 25Q66 10 50 10Q30 10 30 29Q30 45 50 49Q74 54 74 71Q74 90 50 90Q32 90 26 74",
  G: "M75 27Q67 10 50 10Q25 10 25 50Q25 90 51 90Q75 90 75 68V56H53",
  B: "M30 48H56Q75 48 75 69Q75 90 56 90H30V12H54Q71 12 71 30Q71 48 54 48",
  R: "M31 90V12H55Q75 12 75 32Q75 52 55 52H31M54 52L76 90",
  K: "M31 10V90M73 10L32 56M44 44L75 90",
};

/** The letter of each kind of piece. */
/** @type {Record<string, string>} */
export const LETTER_OF = { pawn: "P", lance: "L", knight: "N", silver: "S", gold: "G", bishop: "B", rook: "R", king: "K" };

const GOLD = { steps: [0, 1, 2, 4, 6, 7], slides: [] };

/** How pieces go; `jump` is the shogi knight's leap. */
/** @type {Record<string, {steps: number[], slides: number[], jump?: boolean}>} */
export const WAYS = {
  pawn: { steps: [0], slides: [] },
  lance: { steps: [], slides: [0] },
  knight: { steps: [], slides: [], jump: true },
  silver: { steps: [0, 1, 3, 5, 7], slides: [] },
  gold: GOLD,
  bishop: { steps: [], slides: [1, 3, 5, 7] },
  rook: { steps: [], slides: [0, 2, 4, 6] },
  king: { steps: [0, 1, 2, 3, 4, 5, 6, 7], slides: [] },
  "pawn+": GOLD,
  "lance+": GOLD,
  "knight+": GOLD,
  "silver+": GOLD,
  "bishop+": { steps: [0, 2, 4, 6], slides: [1, 3, 5, 7] },
  "rook+": { steps: [1, 3, 5, 7], slides: [0, 2, 4, 6] },
};

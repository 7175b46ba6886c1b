import { testTurnsFrom } from "./two-releases.ts";

testTurnsFrom("next");

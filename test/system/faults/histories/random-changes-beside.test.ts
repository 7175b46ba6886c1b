import { testRandomChanges } from "./random-changes.ts";

testRandomChanges(1);

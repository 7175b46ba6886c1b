import { testRandomChanges } from "../../../support/records/random-changes.ts";

testRandomChanges(2);

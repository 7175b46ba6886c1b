import { testReadsOf } from "./reads.ts";

testReadsOf("0.1");

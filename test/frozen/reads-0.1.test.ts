import { describe } from "vitest";
import { describeReads } from "./reads.ts";

describe("D38: of release 0.1", () => describeReads("0.1"));

import { describe } from "vitest";
import { describeReads } from "./reads.ts";

describe("D38: of release 0.2", () => describeReads("0.2"));

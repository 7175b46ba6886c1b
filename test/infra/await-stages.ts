import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";

const ended = join(inject("syntheses"), "ended");
while (!existsSync(ended)) await pause(50);
const failure = readFileSync(ended, "utf8");
if (failure) throw new Error(failure);

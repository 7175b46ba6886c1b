import { vi } from "vitest";

const first = Symbol.for("workforce.test.environment");
const kept = globalThis as { [first]?: NodeJS.ProcessEnv };

// A worker runs many files. Packages stay loaded; everything of this project is new for each file.
vi.resetModules();
vi.useRealTimers();
vi.unstubAllEnvs();
vi.unstubAllGlobals();

kept[first] ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in kept[first])) delete process.env[name];
Object.assign(process.env, kept[first]);

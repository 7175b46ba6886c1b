import crypto, { type Argon2Parameters } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

type Derive = typeof crypto.argon2;

const own = Symbol.for("workforce.test.derivations");
const kept = globalThis as { [own]?: Derivations };

interface Derivations {
  readonly argon2: Derive;
  readonly randomBytes: typeof crypto.randomBytes;
  readonly real: Pick<typeof crypto, "argon2" | "randomBytes">;
}

const saltBytes = 16;

// A derivation takes 30 ms of a processor, and the tests sign in a thousand times. What is derived with a salt of this process
// is compared in this process alone, and takes next to none.
kept[own] ??= makeDerivations();
const { argon2, randomBytes } = kept[own];
use({ argon2, randomBytes });

/** Derives as is deployed for the rest of a test file: for one that is about the derivation itself. */
export function deriveInFull(): void {
  if (kept[own]) use(kept[own].real);
}

function use(functions: Pick<typeof crypto, "argon2" | "randomBytes">): void {
  Object.assign(crypto, functions);
  syncBuiltinESMExports();
}

function makeDerivations(): Derivations {
  const real = { argon2: crypto.argon2, randomBytes: crypto.randomBytes };
  // The salt of the hash that no password fits: its bytes are compared with nothing.
  const salts = new Set([textOf(Buffer.alloc(saltBytes))]);
  const note = (size: number, ...others: []) => {
    const bytes = real.randomBytes(size, ...others);
    if (size === saltBytes) salts.add(textOf(bytes));
    return bytes;
  };
  const derive: Derive = (algorithm, parameters, done) => {
    const isOwn = salts.has(textOf(parameters.nonce as Buffer));
    return real.argon2(algorithm, isOwn ? cheapened(parameters) : parameters, done);
  };
  return { argon2: derive, randomBytes: note as typeof crypto.randomBytes, real };
}

/** The cheapest parameters that differ wherever the original ones do. */
function cheapened(parameters: Argon2Parameters): Argon2Parameters {
  const { memory, passes, parallelism } = parameters;
  const associatedData = Buffer.from(JSON.stringify({ memory, passes, parallelism }));
  return { ...parameters, memory: 8 * parallelism, passes: 1, associatedData };
}

function textOf(bytes: Buffer | string): string {
  return Buffer.from(bytes as Buffer).toString("hex");
}

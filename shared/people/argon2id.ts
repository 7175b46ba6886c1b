import { argon2, argon2Sync } from "node:crypto";
import { promisify } from "node:util";
import { argon2id as argon2idOfWasm } from "hash-wasm";

/** The cost of a derivation: memory in KiB, passes over it, parallelism. */
export interface Argon2Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

type Derive = (password: string, salt: Buffer, bytes: number, cost: Argon2Cost) => Promise<Buffer>;

/**
 * Argon2id by `node:crypto`. Every Node.js 24 has its functions, but they throw if its OpenSSL was built without
 * Argon2. AWS builds Lambda's OpenSSL and may change it under a running service.
 */
const byNode: Derive = (message, nonce, tagLength, cost) =>
  promisify(argon2)("argon2id", { message, nonce, tagLength, ...cost });

/** Argon2id in WebAssembly: the same hashes, in about twice the time. */
export const byWasm: Derive = async (password, salt, hashLength, { memory, passes, parallelism }) => {
  const cost = { memorySize: memory, iterations: passes, parallelism };
  return Buffer.from(await argon2idOfWasm({ password, salt, hashLength, outputType: "binary", ...cost }));
};

/** The cheapest derivation, with a known result: whether this Node.js can derive natively. */
const sample = { message: "probe", nonce: Buffer.alloc(16, 1), tagLength: 32, memory: 8, passes: 1, parallelism: 1 };
const sampleTag = "b927e877225688376049d2f30f1608a1a577c30ab2fd7f74a2e5793c75e0ddac";

let isNative: boolean | undefined;

/** Derives a password's bytes by Argon2id, natively if this Node.js can. */
export const deriveArgon2id: Derive = (...parameters) => {
  isNative ??= canDeriveNatively();
  return (isNative ? byNode : byWasm)(...parameters);
};

/** True if `node:crypto` derives the known answer; nothing less proves that it can. */
export function canDeriveNatively(derive: typeof argon2Sync = argon2Sync): boolean {
  try {
    return derive("argon2id", sample).toString("hex") === sampleTag;
  } catch {
    return false;
  }
}

import crypto, { type Argon2Parameters } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

type Derive = typeof crypto.argon2;

const own = Symbol.for("workforce.test.argon2");
const kept = globalThis as { [own]?: Derive };

// The same input gives the same bytes, after 30 ms of a processor: the tests sign in a thousand times with few passwords.
kept[own] ??= rememberIn(new Map(), crypto.argon2);
Object.assign(crypto, { argon2: kept[own] });
syncBuiltinESMExports();

function rememberIn(known: Map<string, Buffer>, derive: Derive): Derive {
  return (algorithm, parameters, done) => {
    const input = inputOf(algorithm, parameters);
    const found = known.get(input);
    if (found) return void setImmediate(done, null, Buffer.from(found));
    derive(algorithm, parameters, (error, derived) => {
      if (!error) known.set(input, Buffer.from(derived));
      done(error, derived);
    });
  };
}

function inputOf(algorithm: string, { message, nonce, ...cost }: Argon2Parameters): string {
  const texts = [message, nonce].map((each) => Buffer.from(each as Buffer).toString("hex"));
  return JSON.stringify([algorithm, ...texts, Object.entries(cost).sort()]);
}

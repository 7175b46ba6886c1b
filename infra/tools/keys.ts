import { randomBytes } from "node:crypto";
import { pinRules } from "../../shared/people/pins.ts";
import {
  currentVersion,
  type HmacKeyVersions,
  readHmacKeyVersions,
  writeHmacKeyVersions,
} from "../../shared/tokens/secrets.ts";
import { readArguments, runCommand, textOption, UsageError, unknownWord } from "./cli/command.ts";
import { readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";
import { withService } from "./service/open-service.ts";

const lost = `  pins          of the last ${pinRules.lifeMinutes} minutes: their users ask for new ones
  sessions      whose refresh token it signed: their users sign in again
  passcodes     that were not used since the next version signs: an import sets them again
  keys sent     as Idempotency-Key in the last 24 hours: a repetition is refused as idempotency_key_reused
  counts        of limits begin again, and unknown logins are shown other ids, where the version signs now`;

const help = `npm run keys -- list | rotate | strike --version N [--stage NAME [--stages FILE]]

The versions of the key that pins, passcodes, refresh tokens and other short secrets are hashed with.

  list            shows the versions, and which one signs; never a key
  rotate          adds a version, which signs 10 minutes later, when every function knows it. Earlier ones verify on: what
                  they hashed moves on at its next use
  strike          takes a leaked version out of the secret; what it hashed is lost. Where it signs, a new one signs at once
  --version N     the version to strike out
  --stage NAME    a stage in AWS, with your own credentials; without it the local machine, whether it runs or not
  --stages FILE   the file that has the stage (infra/stages/stages.ts)

Functions keep the key for 5 minutes: until then a version that was struck out counts here and there. Two changes at once
overwrite each other. Keep a version that did not leak as long as a backup with its hashes, and until its passcodes have moved.

Striking out a version loses:

${lost}
`;

const words = ["list", "rotate", "strike"] as const;

/** Functions keep the key for 5 minutes: what signs must be known to all of them before. */
export const knownAheadMs = 10 * 60_000;

if (import.meta.main) await runCommand((parameters) => manageKeys(parameters, localDirectory()));

/** Runs the command on a machine's directory; gives its exit code. */
export async function manageKeys(parameters: string[], directory: string): Promise<number> {
  const options = { version: textOption, ...stageOptions };
  const { values, positionals } = readArguments("keys", help, { args: parameters, options, allowPositionals: true });
  const word = positionals.join(" ");
  if (!words.some((each) => each === word)) throw unknownWord("command", word, words);
  const version = readVersion(word, values.version);
  return withService({ stage: readStage(values), directory }, () => manage(word, version));
}

async function manage(word: string, version: string): Promise<number> {
  const now = new Date();
  const known = await readHmacKeyVersions({ fresh: true });
  if (word === "strike") {
    const struck = known.versions.find((each) => String(each.version) === version);
    if (!struck) throw new UsageError(`There is no version ${version}.`);
    await writeHmacKeyVersions(withoutVersion(known, struck.version, now));
    process.stdout.write(
      `Version ${version} is struck out. Lost in the next 5 minutes is what it hashed:\n\n${lost}\n\n`,
    );
  }
  if (word === "rotate") await writeHmacKeyVersions(withNewVersion(known, now));
  await showVersions(now);
  return 0;
}

async function showVersions(now: Date): Promise<void> {
  const { versions } = await readHmacKeyVersions({ fresh: true });
  const current = currentVersion(versions, now);
  for (const { version, signs_from } of versions) {
    const role = version === current?.version ? "signs and verifies" : "verifies";
    const since = signs_from === undefined ? "made by the deploy" : `signs from ${signs_from}`;
    process.stdout.write(`version ${version}: ${role}, ${since}\n`);
  }
}

function readVersion(word: string, version = ""): string {
  if ((word === "strike") === (version !== "")) return version;
  throw new UsageError("--version N goes with strike, and with it alone (npm run keys -- --help)");
}

/** The versions with a new one, which signs when every function knows it. */
export function withNewVersion(known: HmacKeyVersions, now: Date): HmacKeyVersions {
  return addVersion(known, new Date(now.getTime() + knownAheadMs));
}

/** The versions without one; where none would sign then, a new one signs at once. */
export function withoutVersion({ versions, highest }: HmacKeyVersions, struck: number, now: Date): HmacKeyVersions {
  const rest = { versions: versions.filter(({ version }) => version !== struck), highest };
  const signedNow = currentVersion(versions, now)?.version === struck;
  return signedNow ? addVersion(rest, now) : rest;
}

/** A version's number is used once: a hash that says it must never meet another key. */
function addVersion({ versions, highest }: HmacKeyVersions, signsFrom: Date): HmacKeyVersions {
  const version = highest + 1;
  const added = { version, key: randomBytes(48).toString("base64url"), signs_from: signsFrom.toISOString() };
  return { versions: [...versions, added], highest: version };
}

import { expect, test } from "vitest";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { manageKeys, withNewVersion, withoutVersion } from "../../infra/tools/keys.ts";
import { type HmacKeyVersion, openHmacKey, readHmacKeyVersions } from "../../shared/tokens/secrets.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();
const run = (...parameters: string[]) => runTool(() => manageKeys(parameters, directory));
const now = new Date("2026-05-01T09:00:00.000Z");
const made = { version: 1, key: "1".repeat(64) };

test("D9: a new version of the key signs 10 minutes later; the one before verifies on", () => {
  const { versions } = withNewVersion({ versions: [made], highest: 1 }, now);
  expect(versions).toMatchObject([made, { version: 2, signs_from: "2026-05-01T09:10:00.000Z" }]);
  const signed = openHmacKey(versions, now).sign("pin", "message");
  expect(openHmacKey(versions, new Date("2026-05-01T09:10:00.000Z")).verify("pin", "message", signed)).toBe(true);
});

test("D9: where the version that signs is struck out, a new one with a number of its own signs at once", () => {
  const two = { version: 2, key: "2".repeat(64), signs_from: "2026-04-01T00:00:00.000Z" };
  const without = (versions: HmacKeyVersion[], struck: number) =>
    withoutVersion({ versions, highest: versions.length }, struck, now).versions;
  expect(without([made, two], 1)).toEqual([two]);
  expect(without([made, two], 2)).toMatchObject([made, { version: 3, signs_from: now.toISOString() }]);
  expect(without([made], 1)).toMatchObject([{ version: 2, signs_from: now.toISOString() }]);
});

test("D9: npm run keys lists, adds and strikes out versions, says what is lost, and shows no key", async () => {
  const { out } = await run("list");
  expect(out).toBe("version 1: signs and verifies, made by the deploy\n");
  const rotated = await run("rotate");
  expect(rotated.out).toMatch(/^version 1: signs and verifies, .*\nversion 2: verifies, signs from 20/);
  const struck = await run("strike", "--version", "1");
  for (const word of ["pins", "sessions", "passcodes", "keys sent", "of limits"]) expect(struck.out).toContain(word);
  expect(struck.out).toMatch(/version 3: signs and verifies/);
  const { versions } = await readHmacKeyVersions({ fresh: true });
  expect(versions.map(({ version }) => version)).toEqual([2, 3]);
  for (const { key } of versions) expect(out + rotated.out + struck.out).not.toContain(key);
});

test("D9: the number of a version that was struck out before it signed never comes again", async () => {
  const [pending = made] = (await readHmacKeyVersions({ fresh: true })).versions.slice(-1);
  await run("rotate");
  await run("strike", "--version", String(pending.version + 1));
  const { out } = await run("rotate");
  expect(out).toContain(`version ${pending.version + 2}: verifies`);
  expect(out).not.toContain(`version ${pending.version + 1}:`);
});

test("what names no command or no version is a mistake that says so", async () => {
  for (const parameters of [
    [],
    ["rotat"],
    ["strike"],
    ["strike", "--version", "0"],
    ["strike", "--version", "99"],
    ["strike", "--version", "one"],
    ["rotate", "--version", "1"],
    ["list", "x"],
  ]) {
    await expect(run(...parameters)).rejects.toThrow(UsageError);
  }
});

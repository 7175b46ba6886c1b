import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { machineFile } from "../../infra/local/local-aws.ts";
import { startMachine } from "../../infra/local/machine.ts";
import { requireStoredShapes, storedShapes } from "../../infra/local/stored-shapes.ts";
import { openInbox } from "../../infra/runtime/aws/inbox.ts";
import { openSecrets } from "../../infra/runtime/aws/secrets-manager.ts";
import { takeLock } from "../../infra/runtime/machine-lock.ts";
import { writeJsonFile } from "../../infra/support/json-file.ts";
import { newFolder } from "../support/service/new-folder.ts";

let directory: string;

beforeEach(() => {
  directory = newFolder();
});

describe("a data directory", () => {
  it("belongs to one opener at a time", () => {
    const own = join(directory, "not/made/yet");
    const lock = takeLock(own);
    expect(takeLock(own)).toBeUndefined();
    lock?.();
    const next = takeLock(own);
    expect(next).toBeDefined();
    next?.();
  });

  it("that a machine uses is refused with its address, and with the folder where none answers yet", async () => {
    const release = takeLock(directory);
    const starting = () => startMachine({ directory, port: 0 });
    await expect(starting()).rejects.toThrow(`Another process uses the data in ${directory}: end it first.`);
    const running = { baseUrl: "http://127.0.0.1:4200" };
    writeJsonFile(machineFile(directory), running);
    const sentence = "This folder's machine runs already at http://127.0.0.1:4200: use it, or end it first.";
    await expect(starting()).rejects.toThrow(sentence);
    expect(JSON.parse(readFileSync(machineFile(directory), "utf8"))).toEqual(running);
    release?.();
  });

  it("that a machine leaves is waited for", async () => {
    const release = takeLock(directory);
    setTimeout(() => release?.(), 500);
    // The start goes on behind the lock, up to data that it cannot read.
    mkdirSync(join(directory, "data"));
    writeFileSync(join(directory, "data/table.sqlite"), "data");
    await expect(startMachine({ directory, port: 0 })).rejects.toThrow("have stored shapes without a number");
  });

  it("keeps the newest 500 messages", () => {
    const file = join(directory, "not/made/yet/inbox.jsonl");
    const inbox = openInbox(file);
    for (let count = 1; count <= 1_200; count += 1) {
      inbox.add({ channel: "sms", to: "+44", subject: null, text: String(count), html: null });
      if ([1, 1_200].includes(count)) expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(file, "utf8").split("\n").length).toBeLessThan(1_000);
    // A process that is killed while it writes leaves half a line.
    appendFileSync(file, '{"channel":');
    const entries = openInbox(file).entries();
    expect(entries).toHaveLength(500);
    expect([entries.at(0)?.text, entries.at(-1)?.text]).toEqual(["1200", "701"]);
  });

  it("keeps secrets where only their owner reads them", () => {
    const file = join(directory, "secrets.json");
    openSecrets(file).ensure("key", () => "first");
    const reopened = openSecrets(file);
    reopened.ensure("key", () => "second");
    expect(reopened.perform("GetSecretValue", { SecretId: "key" })).toMatchObject({ SecretString: "first" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("stored shapes", () => {
  it("of a new data directory are those of this code, at each later start as well", () => {
    for (const data of ["new/data", "new/data"]) requireStoredShapes(join(directory, data));
    mkdirSync(join(directory, "empty"));
    requireStoredShapes(join(directory, "empty"));
  });

  it("D38: of release 1.0.0 are those of this code", () => {
    writeFileSync(join(directory, "stored-shapes"), "10\n");
    expect(() => requireStoredShapes(directory)).not.toThrow();
  });

  it.each([
    String(storedShapes - 1),
    String(storedShapes + 1),
    "",
    undefined,
  ])("of number %j are refused, and stay", (number) => {
    writeFileSync(join(directory, "table.sqlite"), "data");
    if (number !== undefined) writeFileSync(join(directory, "stored-shapes"), number);
    const before = readdirSync(directory);
    expect(() => requireStoredShapes(directory)).toThrow(/^The data in .+ npm start -- --fresh drops the data\.$/);
    expect(readdirSync(directory)).toEqual(before);
  });
});

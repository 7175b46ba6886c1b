import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChildService, startChild } from "../../../infra/local/engine/child-service.ts";

let directory: string;
let idFile: string;
const started: ChildService[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "workforce-child-"));
  idFile = join(directory, "child.pid");
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.close()));
  rmSync(directory, { recursive: true });
});

const forever = ["-e", "setInterval(() => {}, 1000)"];

function start(parameters: string[]): ChildService {
  const child = startChild(process.execPath, parameters, idFile);
  started.push(child);
  return child;
}

describe("a child service", () => {
  it("is gone when close has returned", async () => {
    const child = start(forever);
    expect(child.ended()).toBe(false);
    await child.close();
    expect(child.ended()).toBe(true);
  });

  it("that ends by itself leaves its last words", async () => {
    const child = start(["-e", "console.error('no such option')"]);
    await expect.poll(() => child.ended() && child.lastWords()).toBe("no such option");
  });

  it("ends what a killed parent left working in the same folder, and nothing else", async () => {
    const orphan = spawn(process.execPath, [...forever, directory]);
    const stranger = spawn(process.execPath, forever);
    writeFileSync(idFile, String(stranger.pid));
    start(forever);
    writeFileSync(idFile, String(orphan.pid));
    start(forever);
    expect(await once(orphan, "exit")).toEqual([null, "SIGTERM"]);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });
});

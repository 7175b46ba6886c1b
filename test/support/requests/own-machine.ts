import { afterAll, beforeAll } from "vitest";
import { type StartedMachine, startLocalMachine } from "../service/local-machine.ts";
import { type HttpResult, send } from "./http-client.ts";

/** A test file's machine: the one that runs, also after a restart. */
export interface OwnMachine {
  machine: StartedMachine;
  /** Sends a request; with a role, as the person of the demo data who has it. */
  request(method: string, path: string, sent?: { role?: string; body?: object }): Promise<HttpResult>;
}

/** Starts a machine on a folder, from this checkout or a copy, for a test file, ends it after the tests, and removes the folder. */
export function useOwnMachine(
  directory: { readonly path: string; remove(): void },
  parameters: string[] = [],
  checkout?: string,
): OwnMachine {
  const own = {} as OwnMachine;
  own.request = async (method, path, { role, body } = {}) => {
    const { baseUrl, tokenOf } = own.machine;
    return send(baseUrl, method, path, { body, bearer: role && (await tokenOf(role)) });
  };
  beforeAll(async () => {
    own.machine = await startLocalMachine(directory.path, parameters, checkout);
  }, 120_000);
  afterAll(async () => {
    await own.machine?.interrupt();
    directory.remove();
  });
  return own;
}

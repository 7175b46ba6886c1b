/** The service that a tool works on; this process is a client of it. */
export interface Service {
  /** True where workers run by themselves, and count what a tool writes. */
  running: boolean;
  /** Has the workers work off what waits for them, where none run by themselves. */
  workOff(): Promise<void>;
  /** A bearer token for the user of a login, in any form. Throws `UsageError` when no user has it. */
  mintTokenFor(login: string, hours: number): Promise<string>;
}

/** The service that a tool works on; this process is a client of it. */
export interface Service {
  /** True where workers run by themselves, and count what a tool writes. */
  running: boolean;
  /** Runs the workers until the stream and the queues are empty, where none run by themselves. */
  processPending(): Promise<void>;
  /** A bearer token for the user of a login, in any form. Throws `UsageError` when no user has it. */
  mintTokenFor(login: string, hours: number): Promise<string>;
}

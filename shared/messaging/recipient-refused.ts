/** A channel refuses a recipient for good, so a retry would not help. */
export class RecipientRefusedError extends Error {
  readonly code = "recipient_refused";

  constructor(cause: unknown) {
    super("The channel refuses the recipient", { cause });
    this.name = "RecipientRefusedError";
  }
}

/** Sends by a channel. Throws `RecipientRefusedError` if the channel's error is about the recipient. */
export async function sendUnlessRefused<T>(isRefusal: (error: Error) => boolean, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw error instanceof Error && isRefusal(error) ? new RecipientRefusedError(error) : error;
  }
}

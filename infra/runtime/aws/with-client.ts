/** Runs work with an AWS client, which is closed afterwards even if the work fails. */
export async function withClient<C extends { destroy(): void }, T>(
  client: C,
  work: (client: C) => Promise<T>,
): Promise<T> {
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

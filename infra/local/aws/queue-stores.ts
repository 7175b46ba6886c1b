import type { BuildAppOptions } from "fauxqs";

type Stores = NonNullable<BuildAppOptions["stores"]>;

/** The state behind SQS: kept in the directory given, else in memory. */
export type QueueStores = Stores & { close(): void };

/**
 * fauxqs can keep its state only through `startFauxqs`, which listens on every network interface. The local machine
 * must not, so the stores are put together here from the files of the package.
 */
export async function openQueueStores(directory?: string): Promise<QueueStores> {
  const { SqsStore } = await part("sqs/sqsStore.js");
  const { SnsStore } = await part("sns/snsStore.js");
  const { S3Store } = await part("s3/s3Store.js");
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  if (!directory) return { ...stores, close: () => {} };

  const { PersistenceManager } = await part("persistence.js");
  const persistence = new PersistenceManager(directory);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  stores.sqsStore.persistence = persistence;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = persistence;
  return { ...stores, close: () => persistence.close() };
}

function part(path: string) {
  return import(new URL(path, import.meta.resolve("fauxqs")).href);
}

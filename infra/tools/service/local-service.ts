import { join } from "node:path";
import { type InboxEntry, openInbox } from "../../local/aws/inbox.ts";
import { dataDirectory, enterEnvironment } from "../../local/local-aws.ts";
import { type OpenLocalAws, openLocalAws } from "../../local/open-local-aws.ts";
import { root } from "../../local/stack/synthesis.ts";
import { findTokenUser, type Service } from "./tool-service.ts";

/** The folder of the local machine's data: `.local`, or the one that `WORKFORCE_DIRECTORY` names. */
export function localDirectory(): string {
  return process.env.WORKFORCE_DIRECTORY ?? join(root, ".local");
}

/** Local AWS with records; this process is its client. */
export interface LocalService extends OpenLocalAws, Service {
  /** Everything the service sent, newest first. */
  messages(): InboxEntry[];
}

/** Joins the running machine, or opens its data without a server. Loads the demo data at the first use. */
async function openLocalService(directory: string): Promise<LocalService> {
  const aws = await openLocalAws({ directory });
  try {
    enterEnvironment(aws.environment);
    // A running machine loads the data itself.
    if (aws.wantsDemo && !aws.running) await loadDemoData(aws);
  } catch (error) {
    await aws.close();
    throw error;
  }
  return {
    ...aws,
    messages: () => openInbox(join(dataDirectory(directory), "inbox.jsonl")).entries(),
    async mintTokenFor(login, hours) {
      return aws.mintAccessToken(await findTokenUser(login, "the local machine"), Math.ceil(hours * 60 * 60));
    },
  };
}

/** Runs work on a local service, which is closed afterwards even if the work fails. */
export async function withLocalService<T>(directory: string, work: (service: LocalService) => Promise<T>): Promise<T> {
  const service = await openLocalService(directory);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

async function loadDemoData(aws: OpenLocalAws): Promise<void> {
  process.stderr.write("First use: loading the demo data …\n");
  const { loadDemo } = await import("../../local/demo/demo.ts");
  await loadDemo();
  aws.demoLoaded();
  // The history and notifications come from the stream, which only a running machine processes by itself.
  await aws.processPending();
}

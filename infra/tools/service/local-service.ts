import { join } from "node:path";
import { type InboxEntry, openInbox } from "../../local/aws/inbox.ts";
import { dataDirectory, enterEnvironment } from "../../local/local-aws.ts";
import { type OpenLocalAws, openLocalAws } from "../../local/open-local-aws.ts";
import { root } from "../../local/stack/synthesis.ts";
import { findTokenUser, type Service } from "./tool-service.ts";

/** Where the local machine keeps its data: `.local`, or the folder that `WORKFORCE_DIRECTORY` names. */
export function localDirectory(): string {
  return process.env.WORKFORCE_DIRECTORY ?? join(root, ".local");
}

/** Local AWS with records in it, and this process its client. */
export interface LocalService extends OpenLocalAws, Service {
  /** Everything the service sent, newest first. */
  messages(): InboxEntry[];
}

/** Joins the running machine, or opens its data without a server; on first use loads the demo data. */
async function openLocalService(directory: string): Promise<LocalService> {
  const aws = await openLocalAws({ directory });
  try {
    enterEnvironment(aws.environment);
    // A machine that runs loads them itself.
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

/** Gives work a local service, which is closed however the work ends. */
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
  // The lists' totals come from the stream, and no running machine processes it.
  await aws.processPending();
}

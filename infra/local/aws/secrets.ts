import { randomUUID } from "node:crypto";
import { openJsonFile } from "../json-file.ts";
import { AwsError } from "./aws-error.ts";

interface SecretVersion {
  id: string;
  stages: string[];
  value: string;
  created: number;
}

type Input = { SecretId?: string; VersionId?: string; VersionStage?: string } & Partial<
  Record<"SecretString" | "ClientRequestToken", string>
> & { VersionStages?: string[] };

/** The local Secrets Manager: performs its JSON actions, and holds a secret for each that the stack defines. */
export interface SecretStore {
  perform(action: string, input: Input): unknown;
  /** Puts a first value in place unless the secret has one. */
  ensure(name: string, makeValue: () => string): void;
}

/** Secrets by name, kept in a file of mode 0600 (or in memory); ARNs of the region given. */
export function openSecrets(region: string, path?: string): SecretStore {
  const file = openJsonFile<Record<string, SecretVersion[]>>(path, {});
  const secrets = file.value;

  const find = (id = ""): { name: string; ARN: string; versions: SecretVersion[] } => {
    const name = /:secret:(.+)-\w{6}$/.exec(id)?.[1] ?? id;
    const versions = secrets[name];
    if (!versions) throw new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
    return { name, ARN: secretArn(name, region), versions };
  };

  const put = (versions: SecretVersion[], value: string, stages: string[], id: string) => {
    const current = versions.find((each) => each.stages.includes("AWSCURRENT"));
    const replaces = stages.includes("AWSCURRENT");
    const taken = replaces ? [...stages, "AWSPREVIOUS"] : stages;
    for (const each of versions) each.stages = each.stages.filter((stage) => !taken.includes(stage));
    if (replaces) current?.stages.push("AWSPREVIOUS");
    versions.push({ id, stages, value, created: Date.now() / 1000 });
    file.save();
  };

  const actions: Record<string, (input: Input) => unknown> = {
    GetSecretValue({ SecretId, VersionId, VersionStage }) {
      const { name, ARN, versions } = find(SecretId);
      const stage = VersionStage ?? (VersionId ? undefined : "AWSCURRENT");
      const version = versions.find(
        (each) => (!VersionId || each.id === VersionId) && (!stage || each.stages.includes(stage)),
      );
      const wanted = VersionId ?? `staging label: ${stage}`;
      if (!version) {
        throw new AwsError("ResourceNotFoundException", `Secrets Manager can't find the secret value for ${wanted}`);
      }
      const about = { VersionId: version.id, VersionStages: version.stages, CreatedDate: version.created };
      return { ARN, Name: name, SecretString: version.value, ...about };
    },
    PutSecretValue({ SecretId, SecretString = "", ClientRequestToken, VersionStages = ["AWSCURRENT"] }) {
      const { name, ARN, versions } = find(SecretId);
      const id = ClientRequestToken ?? randomUUID();
      if (!versions.some((each) => each.id === id)) put(versions, SecretString, VersionStages, id);
      return { ARN, Name: name, VersionId: id, VersionStages };
    },
    DescribeSecret({ SecretId }) {
      const { name, ARN, versions } = find(SecretId);
      return {
        ARN,
        Name: name,
        VersionIdsToStages: Object.fromEntries(versions.map((each) => [each.id, each.stages])),
      };
    },
  };

  return {
    perform(action, input) {
      const perform = actions[action];
      if (!perform) throw new AwsError("UnknownOperationException", `The local machine does not know "${action}".`);
      return perform(input);
    },
    ensure(name, makeValue) {
      if (secrets[name]) return;
      secrets[name] = [];
      put(secrets[name], makeValue(), ["AWSCURRENT"], randomUUID());
    },
  };
}

/** The ARN of a local secret: fixed where AWS puts six random characters. */
export function secretArn(name: string, region: string): string {
  return `arn:aws:secretsmanager:${region}:000000000000:secret:${name}-local0`;
}

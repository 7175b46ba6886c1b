import type { Template } from "../../../infra/whole-template.ts";

interface Policy {
  readonly PolicyDocument: unknown;
  readonly Roles?: readonly { readonly Ref: string }[];
}

/** At least as long as the ARN of a function, a queue, a secret, a log group or an index. */
const longestArn = "x".repeat(130);

/** The longest value of each. */
const pseudoParameters: Readonly<Record<string, string>> = {
  "AWS::AccountId": "123456789012",
  "AWS::Partition": "aws-us-gov",
  "AWS::Region": "ap-northeast-1",
};

/**
 * The most characters of the policies of each role, by the role's id: as IAM counts them, with ARNs where the
 * template has references. Throws at an intrinsic function that it cannot resolve.
 */
export function policyCharactersOf({ Resources }: Template): Map<string, number> {
  const all = Object.entries(Resources);
  const beside = all.flatMap(([, { Type, Properties }]) =>
    Type === "AWS::IAM::Policy" ? [Properties as unknown as Policy] : [],
  );
  const roles = all.filter(([, { Type }]) => Type === "AWS::IAM::Role");
  return new Map(
    roles.map(([id, { Properties }]) => {
      const own = (Properties?.Policies ?? []) as Policy[];
      const others = beside.filter(({ Roles = [] }) => Roles.some(({ Ref }) => Ref === id));
      const documents = [...own, ...others].map(({ PolicyDocument }) => JSON.stringify(resolve(PolicyDocument)));
      return [id, documents.join("").length] as const;
    }),
  );
}

function resolve(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join, ...others } = value as Record<string, unknown>;
  if (Ref !== undefined) return pseudoParameters[String(Ref)] ?? longestArn;
  if (attribute !== undefined) return longestArn;
  if (Array.isArray(join)) return (resolve(join[1]) as string[]).join(String(join[0]));
  const unknown = Object.keys(others).find((key) => key.startsWith("Fn::"));
  if (unknown) throw new Error(`A policy has ${unknown}, which is not resolved`);
  return Object.fromEntries(Object.entries(others).map(([key, each]) => [key, resolve(each)]));
}

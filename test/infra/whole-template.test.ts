import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { countResources, readWholeTemplate, type Template } from "../../infra/whole-template.ts";
import { newFolder } from "../support/service/new-folder.ts";

let directory: string;

beforeEach(() => {
  directory = newFolder();
});

const nested = (file: string, Parameters: object, DependsOn?: string) => ({
  Type: "AWS::CloudFormation::Stack",
  Properties: { Parameters },
  Metadata: { "aws:asset:path": file },
  ...(DependsOn && { DependsOn }),
});

const root: Template = {
  Resources: {
    Table: { Type: "Table", Properties: { Name: "t" } },
    Alarm: { Type: "Alarm", DependsOn: ["One"], Properties: { of: { "Fn::GetAtt": ["One", "Outputs.Name"] } } },
    One: nested("one.template.json", { table: { "Fn::GetAtt": ["Table", "Arn"] } }, "Table"),
    Two: nested("two.template.json", { name: { "Fn::GetAtt": ["One", "Outputs.Name"] } }),
  },
  Outputs: { Name: { Value: { "Fn::GetAtt": ["One", "Outputs.Name"] } } },
};
const one: Template = {
  Parameters: { table: {} },
  Resources: {
    Role: { Type: "Role", Properties: { on: ["x", { Ref: "table" }], region: { Ref: "AWS::Region" } } },
    Fn: { Type: "Function", DependsOn: "Role", Properties: { role: { "Fn::GetAtt": ["Role", "Arn"] } } },
  },
  Outputs: { Name: { Value: { Ref: "Fn" } } },
};
const two: Template = { Resources: { Fn: { Type: "Function", Properties: { calls: { Ref: "name" } } } } };

test("what passes between stacks by parameters and outputs stands where it arrives", () => {
  write({ "root.template.json": root, "one.template.json": one, "two.template.json": two });
  const { template, parts } = readWholeTemplate(directory, "root.template.json");
  expect(Object.keys(parts)).toEqual(["root.template.json", "one.template.json", "two.template.json"]);
  expect(countResources(parts)).toBe(5);
  expect(template.Resources).toMatchObject({
    Table: { Properties: { Name: "t" }, DependsOn: [] },
    Alarm: { Properties: { of: { Ref: "One.Fn" } }, DependsOn: ["One.Role", "One.Fn"] },
    "One.Role": {
      Properties: { on: ["x", { "Fn::GetAtt": ["Table", "Arn"] }], region: { Ref: "AWS::Region" } },
      DependsOn: ["Table"],
    },
    "One.Fn": { Properties: { role: { "Fn::GetAtt": ["One.Role", "Arn"] } }, DependsOn: ["One.Role", "Table"] },
    "Two.Fn": { Properties: { calls: { Ref: "One.Fn" } }, DependsOn: [] },
  });
  expect(Object.keys(template.Resources)).toHaveLength(5);
  expect(template.Outputs).toEqual({ Name: { Value: { Ref: "One.Fn" } } });
});

test("a template that no stack has, one that is absent, and what cannot be followed are faults", () => {
  const all = { "root.template.json": root, "one.template.json": one, "two.template.json": two };
  write({ ...all, "three.template.json": two });
  const read = () => readWholeTemplate(directory, "root.template.json");
  expect(read).toThrow("No stack of root.template.json has the templates three.template.json");
  rmSync(join(directory, "three.template.json"));
  write({ "one.template.json": { ...one, Outputs: {} } });
  expect(read).toThrow("The nested stack One has no output Outputs.Name");
  write({ ...all, "two.template.json": { Resources: { Deep: nested("one.template.json", {}) } } });
  expect(read).toThrow("Two has no template, or nested stacks of its own");
  write({
    ...all,
    "two.template.json": { Resources: { A: { Type: "A", Properties: { a: { "Fn::Sub": "$" + "{Fn}" } } } } },
  });
  expect(read).toThrow("Fn::Sub");
  write(all);
  rmSync(join(directory, "two.template.json"));
  expect(read).toThrow("two.template.json");
});

function write(templates: Readonly<Record<string, Template>>): void {
  for (const [file, template] of Object.entries(templates))
    writeFileSync(join(directory, file), JSON.stringify(template));
}

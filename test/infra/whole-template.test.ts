import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWholeTemplate, type Template } from "../../infra/whole-template.ts";
import { newFolder } from "../support/service/new-folder.ts";

const directory = newFolder();
const nested = (file: string) => ({ Type: "AWS::CloudFormation::Stack", Metadata: { "aws:asset:path": file } });
const root: Template = {
  Resources: {
    Alarm: { Type: "Alarm", Properties: { of: { "Fn::GetAtt": ["One", "Outputs.Name"] } } },
    One: nested("one.template.json"),
    Two: nested("two.template.json"),
  },
};
const one: Template = {
  Resources: { Fn: { Type: "Function" } },
  Outputs: { Name: { Value: { Ref: "Fn" } } },
};
const two: Template = { Resources: { Fn: { Type: "Function" } } };

test("a template that no stack has, one that is absent, and what cannot be followed are faults", () => {
  const all = { "root.template.json": root, "one.template.json": one, "two.template.json": two };
  write({ ...all, "three.template.json": two });
  const read = () => readWholeTemplate(directory, "root.template.json");
  expect(read).toThrow("No stack of root.template.json has the templates three.template.json");
  rmSync(join(directory, "three.template.json"));
  write({ "one.template.json": { ...one, Outputs: {} } });
  expect(read).toThrow("The nested stack One has no output Outputs.Name");
  write({ ...all, "two.template.json": { Resources: { Deep: nested("one.template.json") } } });
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

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWholeTemplate, type Template } from "../../infra/whole-template.ts";
import { newFolder } from "../support/service/new-folder.ts";

const nested = { Type: "AWS::CloudFormation::Stack", Metadata: { "aws:asset:path": "one.template.json" } };

test.each([
  ["The nested stack One has no output Outputs.Name", { "Fn::GetAtt": ["One", "Outputs.Name"] }],
  ["Not read in templates: Fn::Sub of", { "Fn::Sub": "$" + "{Fn}" }],
])("what cannot be followed is a fault: %s", (fault, of) => {
  const root: Template = { Resources: { Alarm: { Type: "Alarm", Properties: { of } }, One: nested } };
  const directory = newFolder();
  const templates = { root, one: { Resources: { Fn: { Type: "Function" } } } };
  for (const [name, template] of Object.entries(templates))
    writeFileSync(join(directory, `${name}.template.json`), JSON.stringify(template));
  expect(() => readWholeTemplate(directory, "root.template.json")).toThrow(fault);
});

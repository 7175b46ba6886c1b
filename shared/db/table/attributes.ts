import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { settings } from "../../settings.ts";

/** Primary key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item as stored; each entity module knows the attributes of its own. */
export type Item = Record<string, unknown>;

/** Fields by name as DynamoDB takes and gives them. */
export type Attributes = Record<string, AttributeValue>;

/** The input of a command with plain values, and without the table's name. */
export type Plain<Input> = {
  [K in keyof Input as K extends "TableName" ? never : K]: Attributes extends NonNullable<Input[K]>
    ? (K extends "Key" ? Key : Item) | Extract<Input[K], undefined>
    : Input[K];
};

const valueFields = ["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey"] as const;

/** The input of a command about the table. */
export function inTable<Input extends object>(input: Plain<Input>): Input & { TableName: string } {
  const made: Item = { TableName: settings.tableName(), ...input };
  for (const name of valueFields) {
    const values = made[name];
    if (values !== undefined) made[name] = toAttributes(values as object);
  }
  return made as Input & { TableName: string };
}

/**
 * Fields as DynamoDB takes them, without those that are undefined. Any name is a field's name here, at any depth: the SDK's own
 * marshalling loses a field that is called `__proto__`, and throws for one that is called `constructor`.
 */
export function toAttributes(fields: object): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) setOwn(attributes, name, toAttribute(value));
  }
  return attributes;
}

function toAttribute(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  switch (typeof value) {
    case "string":
      return { S: value };
    case "boolean":
      return { BOOL: value };
    case "number":
      return { N: numberText(value) };
    case "bigint":
      return { N: String(value) };
    case "object":
      if (Array.isArray(value)) return { L: value.filter((each) => each !== undefined).map(toAttribute) };
      if (value instanceof Uint8Array) return { B: value };
      if (value instanceof Set) return setOf([...value].map(toAttribute));
      if (!isPlain(value)) throw new TypeError(`DynamoDB stores no ${value.constructor.name}`);
      return { M: toAttributes(value) };
    default:
      throw new TypeError(`DynamoDB stores no ${typeof value}`);
  }
}

/** This project's code makes no sets. A newer release may, and what it stored is kept. */
function setOf(members: readonly AttributeValue[]): AttributeValue {
  const SS = members.flatMap(({ S }) => S ?? []);
  const NS = members.flatMap(({ N }) => N ?? []);
  const BS = members.flatMap(({ B }) => B ?? []);
  const sets = [{ SS }, { NS }, { BS }].filter((set) => Object.values(set)[0]?.length === members.length);
  const [set, ...others] = sets;
  if (!set || others.length > 0) throw new TypeError("DynamoDB stores no set that is empty or of several types");
  return set as AttributeValue;
}

/** False for an instance of a class: its own fields are not all that it holds. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Digits of a larger number are lost before it comes here. */
function numberText(value: number): string {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new RangeError(`${value} cannot be stored as it is`);
  return String(value);
}

/** Fields as this project's code uses them. */
export function fromAttributes(attributes: Readonly<Attributes>): Item {
  const fields: Item = {};
  // Twice as fast as over entries: a list has hundreds of attributes.
  for (const name in attributes) setOwn(fields, name, fromAttribute(attributes[name] as AttributeValue));
  return fields;
}

function fromAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return numberOf(attribute.N);
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.B !== undefined) return attribute.B;
  if (attribute.SS !== undefined) return new Set(attribute.SS);
  if (attribute.NS !== undefined) return new Set(attribute.NS.map(numberOf));
  if (attribute.BS !== undefined) return new Set(attribute.BS);
  throw new TypeError(`An attribute is of an unknown type: ${Object.keys(attribute).join()}`);
}

function numberOf(text: string): number | bigint {
  const value = Number(text);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? BigInt(text) : value;
}

/** Assigned to, `__proto__` would be the object's prototype. */
function setOwn<T>(fields: Record<string, T>, name: string, value: T): void {
  if (name !== "__proto__") fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}

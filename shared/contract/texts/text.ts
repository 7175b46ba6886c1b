import type { Operation } from "../operation.ts";
import type { paging } from "../query.ts";

/** What the document says of a field: a sentence, and an example where the field's value is no object. */
export type FieldText = readonly [text: string, example?: unknown] | NestedText;

/** What it says of a field whose value is an object, or objects, without a name in the document. */
export interface NestedText {
  readonly text: string;
  readonly fields: Readonly<Record<string, FieldText>>;
}

/** A text for each field: one that is missing is an error of types. */
export type FieldTexts<Entries> = { readonly [Name in keyof Entries]: FieldText };

/** What the document says of an operation beside its summary. Handlers import none of it, so no bundle has it. */
export interface OperationText {
  readonly operation: string;
  /** What it is for, what happens, and what to know before the first call: Markdown. */
  readonly description: string;
  /** Of the parameters in the path. */
  readonly parameters?: Readonly<Record<string, FieldText>>;
  /** Of the parameters in the query string, without those of paging, which have one text for all lists. */
  readonly query?: Readonly<Record<string, FieldText>>;
  /** Of the body's outer object and the fields inside it. */
  readonly body?: NestedText;
  /** Of status 200 and the answer's fields; for a list, of its array. */
  readonly answer: NestedText;
}

/** What the document says of a shape that has a name in it. */
export interface ShapeText {
  readonly shape: object;
  readonly text: string;
  readonly fields: Readonly<Record<string, FieldText>>;
}

type EntriesOf<S> = S extends { readonly entries: infer Entries } ? Entries : Record<never, never>;

interface Nested<Fields> {
  readonly text: string;
  readonly fields: Fields;
}

type Parts<O extends Operation> = (O extends { readonly parameters: infer S }
  ? { readonly parameters: FieldTexts<EntriesOf<S>> }
  : unknown) &
  (O extends { readonly query: infer S }
    ? { readonly query: FieldTexts<Omit<EntriesOf<S>, keyof typeof paging>> }
    : unknown) &
  (O extends { readonly body: { readonly fields: infer S } }
    ? { readonly body: Nested<FieldTexts<EntriesOf<S>>> }
    : unknown) & {
    readonly answer: Nested<
      O extends { readonly list: infer List extends string }
        ? { readonly [Name in List]: FieldText }
        : FieldTexts<EntriesOf<O["answer"]>>
    >;
  };

/** Says what an operation does. Its parts follow from the entry: none may be missing, and none may be unknown. */
export function describes<const O extends Operation>(
  { name }: O,
  text: { readonly description: string } & Parts<O>,
): OperationText {
  return { operation: name, ...text };
}

/** Says what the fields of a shape are that has a name in the document. */
export function shapes<const S extends { readonly entries: object }>(
  shape: S,
  text: string,
  fields: FieldTexts<S["entries"]>,
): ShapeText {
  return { shape: shape.entries, text, fields: fields as ShapeText["fields"] };
}

/** Says what a field is whose value is an object without a name, and what that one's fields are. */
export function nested(text: string, fields: Readonly<Record<string, FieldText>>): NestedText {
  return { text, fields };
}

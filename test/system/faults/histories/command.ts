import { fc } from "../../../support/service/properties.ts";
import type { Model } from "./model.ts";
import type { World } from "./world.ts";

/** Something that happens in a history. */
export type Command = fc.AsyncCommand<Model, World>;

type Arbitraries<Step> = { readonly [K in keyof Step]: fc.Arbitrary<Step[K]> };

/** Makes a command; fields that are left out have the defaults of its run. */
interface CommandKind<Step> {
  (step?: Partial<Step>): Command;
  readonly weighted: { readonly weight: number; readonly arbitrary: fc.Arbitrary<Command> };
}

/** Defines commands of a name by their fields. `expectThen` holds against the model what they change, whenever they are possible. */
export function defineCommand<Step extends object>(
  name: string,
  weight: number,
  fields: Arbitraries<Step>,
  run: (step: Partial<Step>, world: World) => Promise<void>,
  expectThen?: (world: World) => Promise<void>,
  isPossible: (step: Partial<Step>, model: Readonly<Model>) => boolean = () => true,
): CommandKind<Step> {
  const make = (step: Partial<Step> = {}): Command => ({
    check: (model) => isPossible(step, model),
    run: async (_, world) => {
      world.tick();
      await run(step, world);
      if (world.isBegun) await expectThen?.(world);
    },
    toString: () => `${name}(${JSON.stringify(step)})`,
  });
  const arbitrary = fc.record(fields as { [K in keyof Step]: fc.Arbitrary<Step[K]> }).map((step) => make(step as Step));
  return Object.assign(make, { weighted: { weight, arbitrary } });
}

/** The AWS call at which a process ends; mostly it does not. */
export const death = fc.option(
  fc.record({ at: fc.integer({ min: 1, max: 9 }), moment: fc.constantFrom("before" as const, "after" as const) }),
  { nil: undefined, freq: 2 },
);

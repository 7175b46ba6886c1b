import fc from "fast-check";

// The same cases in every run of `npm test`; `npm run check` adds a seed that no run has had, and prints it.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

export { fc };

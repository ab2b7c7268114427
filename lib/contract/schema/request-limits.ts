import * as v from 'valibot';
import { coded, ownIssue } from './issues.ts';

/** The limits of a request that are settings. All other limits are fixed. */
export interface RequestLimits {
  readonly maxOutputs: number;
  readonly maxInputs: number;
  readonly maxTimeoutMs: number;
  readonly remoteInputs: boolean;
  /** The names of the enabled providers; undefined if they are unknown. */
  readonly providers: ReadonlySet<string> | undefined;
}

interface LimitSettings {
  readonly runtime: {
    readonly request: {
      readonly max_outputs: number;
      readonly max_inputs: number;
      readonly max_timeout_ms: number;
    };
  };
  readonly inputs: { readonly remote: { readonly enabled: boolean } };
}

export function toRequestLimits(
  { runtime, inputs }: LimitSettings,
  providers: readonly string[],
): RequestLimits {
  return {
    maxOutputs: runtime.request.max_outputs,
    maxInputs: runtime.request.max_inputs,
    maxTimeoutMs: runtime.request.max_timeout_ms,
    remoteInputs: inputs.remote.enabled,
    providers: new Set(providers),
  };
}

interface LimitedConfig {
  readonly limits?: RequestLimits;
}

/** Checks a value against its schema and the limits in one pass, so that all violations are reported together. */
export function parseWithLimits<const S extends v.GenericSchema>(
  schema: S,
  input: unknown,
  limits?: RequestLimits,
): v.OutputDataset<v.InferOutput<S>, v.InferIssue<S>> {
  // `~run` passes the whole configuration to every action. `safeParse` would remove `limits`.
  const config: v.Config<v.InferIssue<S>> & LimitedConfig = {
    ...(limits && { limits }),
    message: noMessage,
  };
  return schema['~run']({ value: input }, config);
}

/** Replaces the messages of valibot, which contain the sent value and could copy megabytes of text. */
function noMessage(): string {
  return '';
}

/** Returns the limits that were passed to `parseWithLimits`, or undefined if the value was parsed without limits. */
export function limitsOf(config: object): RequestLimits | undefined {
  return (config as LimitedConfig).limits;
}

/** Creates the schema of an integer from 1 to the named limit. */
export function upTo(limit: 'maxOutputs' | 'maxTimeoutMs') {
  return v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.rawCheck<number>(({ dataset, config, addIssue }) => {
      const max = limitsOf(config)?.[limit];
      if (dataset.typed && max !== undefined && dataset.value > max) {
        addIssue({ message: coded('out_of_range', `must be at most ${max}`) });
      }
    }),
  );
}

/** Creates the schema of a list. The items of a list that is too long are not checked. */
export function limitedList<const S extends v.GenericSchema>(
  item: S,
  limit: number | 'maxInputs',
): v.ArraySchema<S, undefined> {
  const list = v.array(item);
  const run = list['~run'];
  return Object.assign(list, {
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const max = limit === 'maxInputs' ? (limitsOf(config)?.maxInputs ?? Infinity) : limit;
      if (Array.isArray(dataset.value) && dataset.value.length > max) {
        const issue = ownIssue('too_many', `must have at most ${max} item${max === 1 ? '' : 's'}`);
        return { typed: false as const, value: [], issues: [issue] as [typeof issue] };
      }
      return run.call(list, dataset, config);
    },
  });
}

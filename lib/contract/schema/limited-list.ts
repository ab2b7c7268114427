import * as v from 'valibot';
import { coded } from './issues.ts';
import { limitsOf } from './request-limits.ts';

/**
 * Creates the schema of a list that fails as a whole if it is too long. Otherwise thousands of invalid items would be
 * checked
 * and reported individually. The limit `maxInputs` is the setting `runtime.request.max_inputs`.
 */
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
        return { typed: false as const, value: [], issues: [tooMany(max)] satisfies [Issue] };
      }
      return run.call(list, dataset, config);
    },
  });
}

type Issue = v.BaseIssue<unknown>;

function tooMany(max: number): Issue {
  return {
    kind: 'validation',
    type: 'max_length',
    input: undefined,
    expected: `<=${max}`,
    received: 'more',
    message: coded('too_many', `must have at most ${max} item${max === 1 ? '' : 's'}`),
  };
}

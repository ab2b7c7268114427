import type * as v from 'valibot';
import { coded } from './issues.ts';
import { limitsOf, type RequestLimits } from './request-limits.ts';

/** One rule between fields of `T`. */
export interface CrossRule<T> {
  /** Where the violation is reported. */
  readonly field: string;
  /** The fields that it reads: it is checked only when each of them is valid. */
  readonly needs: readonly string[];
  readonly message: string;
  readonly broken: (value: T, limits: RequestLimits | undefined) => boolean;
}

/** What `v.rawCheck` hands its action, as far as it is used here. */
interface Check {
  readonly dataset: v.OutputDataset<unknown, v.BaseIssue<unknown>>;
  readonly config: object;
  readonly addIssue: (info: {
    readonly path: [v.ObjectPathItem, ...v.ObjectPathItem[]];
    readonly message: string;
  }) => void;
}

/**
 * Checks every rule whose fields passed their own schemas. valibot skips a plain `check` once any field has failed; the
 * contract wants all violations of a request at once.
 */
export function checkAll<T>(rules: readonly CrossRule<T>[]) {
  // Split once: there may be a thousand failed fields to compare with.
  const table = rules.map((rule) => ({ rule, needs: rule.needs.map((need) => need.split('.')) }));
  return ({ dataset, config, addIssue }: Check): void => {
    const failed = (dataset.issues ?? []).map((issue) => (issue.path ?? []).map(({ key }) => key));
    // The root failed: there is no object to read.
    if (failed.some((path) => path.length === 0)) return;
    for (const { rule, needs } of table) {
      if (needs.some((need) => failed.some((path) => overlaps(path, need)))) continue;
      // Every field that the rule reads has passed its schema, which is what T says.
      if (!rule.broken(dataset.value as T, limitsOf(config))) continue;
      addIssue({ path: toPath(rule.field), message: coded('invalid_combination', rule.message) });
    }
  };
}

function overlaps(path: readonly unknown[], need: readonly string[]): boolean {
  return path.every((key, index) => index >= need.length || key === need[index]);
}

function toPath(field: string): [v.ObjectPathItem, ...v.ObjectPathItem[]] {
  const items = field.split('.').map(
    (key): v.ObjectPathItem => ({
      type: 'object',
      origin: 'value',
      input: {},
      key,
      value: undefined,
    }),
  );
  // A field name always has one part at least.
  return items as [v.ObjectPathItem, ...v.ObjectPathItem[]];
}

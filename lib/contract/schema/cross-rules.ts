import type * as v from 'valibot';
import { coded } from './issues.ts';
import { limitsOf, type RequestLimits } from './request-limits.ts';

/** A rule between fields of `T`. */
export interface CrossRule<T> {
  /** The path of the field at which a violation is reported. */
  readonly field: string;
  /** The paths of the fields that the rule reads. The rule is checked only if all these fields are valid. */
  readonly needs: readonly string[];
  readonly message: string;
  readonly broken: (value: T, limits: RequestLimits | undefined) => boolean;
}

/** The used members of the argument that `v.rawCheck` passes to its action. */
interface Check {
  readonly dataset: v.OutputDataset<unknown, v.BaseIssue<unknown>>;
  readonly config: object;
  readonly addIssue: (info: {
    readonly path: [v.ObjectPathItem, ...v.ObjectPathItem[]];
    readonly message: string;
  }) => void;
}

/**
 * Returns an action that checks every rule whose fields passed their own schemas. valibot skips a plain `check` if any field
 * has failed, but all violations of a request are reported at once.
 */
export function checkAll<T>(rules: readonly CrossRule<T>[]) {
  // The paths are split once, because they may be compared with a thousand failed fields.
  const table = rules.map((rule) => ({ rule, needs: rule.needs.map((need) => need.split('.')) }));
  return ({ dataset, config, addIssue }: Check): void => {
    const failed = (dataset.issues ?? []).map((issue) => (issue.path ?? []).map(({ key }) => key));
    // The root failed, so there is no object to check.
    if (failed.some((path) => path.length === 0)) return;
    for (const { rule, needs } of table) {
      if (needs.some((need) => failed.some((path) => overlaps(path, need)))) continue;
      // The cast is safe because every field that the rule reads has passed its schema.
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
  // The cast is safe because a field name has at least one part.
  return items as [v.ObjectPathItem, ...v.ObjectPathItem[]];
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  componentSchemas,
  referencedComponents,
  schemaPart,
} from '../../../../infra/generators/openapi/json-schema.ts';
import { EditsBody, GenerationsBody } from '../../../../lib/contract/openai/images.ts';
import { ImageRequest } from '../../../../lib/contract/request/image-request.ts';
import { JobCreate, JobPatch } from '../../../../lib/contract/resources/job.ts';
import { PresetCreate, PresetReplace } from '../../../../lib/contract/resources/preset.ts';
import { parseWithLimits } from '../../../../lib/contract/schema/request-limits.ts';
import { LIMITS } from '../../../lib/contract/verdict-of.ts';

const BODIES: Readonly<Record<string, v.GenericSchema>> = {
  ImageRequest,
  JobCreate,
  JobPatch,
  PresetCreate,
  PresetReplace,
  GenerationsBody,
  EditsBody,
};

/** The members of a schema that the walk reads. */
interface Node extends v.GenericSchema {
  readonly wrapped?: Node;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly options?: readonly Node[];
  readonly item?: Node;
  readonly literal?: unknown;
}

/** A body without a field, and the same body with `null` for the field. */
interface Pair {
  readonly path: string;
  readonly without: unknown;
  readonly withNull: unknown;
}

/**
 * Returns a value with only the required fields. The value may be invalid, because both bodies of a pair then fail in the
 * same way.
 */
function sample(node: Node): unknown {
  if (node.wrapped) return sample(node.wrapped);
  if (node.type === 'literal') return node.literal;
  if (node.type === 'array') return [];
  if (node.type === 'number') return 1;
  if (node.type === 'boolean') return true;
  const { entries, options } = node;
  if (entries) {
    const required = Object.entries(entries).filter(([, entry]) => entry.type !== 'optional');
    return Object.fromEntries(required.map(([name, entry]) => [name, sample(entry)]));
  }
  const [first] = options ?? [];
  return typeof first === 'object' ? sample(first) : 'a';
}

/** Returns every optional field at any depth. */
function pairs(node: Node, path: string, wrap: (value: unknown) => unknown): Pair[] {
  if (node.wrapped) return pairs(node.wrapped, path, wrap);
  if (node.item) return pairs(node.item, `${path}[0]`, (value) => wrap([value]));
  const { entries, options } = node;
  if (!entries) {
    const schemas = (options ?? []).filter((option) => typeof option === 'object');
    return schemas.flatMap((option) => pairs(option, path, wrap));
  }
  const base = sample(node) as object;
  return Object.entries(entries).flatMap(([name, entry]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const nested = pairs(entry, at, (value) => wrap({ ...base, [name]: value }));
    if (entry.type !== 'optional') return nested;
    return [
      { path: at, without: wrap(base), withNull: wrap({ ...base, [name]: null }) },
      ...nested,
    ];
  });
}

/** Removes every `null`, because a preset keeps a `null` as it was sent. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, member) => member ?? undefined));
}

function compile(schema: v.GenericSchema) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const part = schemaPart(schema, 'request');
  const schemas = componentSchemas(referencedComponents(part));
  return ajv.compile({ ...part, components: { schemas } });
}

/** Violations; the number of members is no property of the field, and a document cannot say that null is none. */
function errorsOf(validate: ReturnType<typeof compile>, body: unknown): string[] {
  validate(body);
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'minProperties');
  return errors.map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

describe.each(Object.entries(BODIES))('%s', (_name, schema) => {
  // valibot's types do not show what a schema is made of.
  const all = pairs(schema as Node, '', (value) => value);
  const validate = compile(schema);

  it('has optional fields', () => {
    expect(all.length).toBeGreaterThan(0);
  });

  it.each(all)('treats null for $path as absent', ({ without, withNull }) => {
    const [absent, isNull] = [without, withNull].map((body) => {
      const { issues, value } = parseWithLimits(schema, body, LIMITS) as v.SafeParseResult<Node> & {
        value: unknown;
      };
      return issues ? issues.map(({ message }) => message) : withoutNulls(value);
    });

    expect(isNull).toEqual(absent);
  });

  it.each(all)('is documented to accept null for $path', ({ without, withNull }) => {
    expect(errorsOf(validate, withNull)).toEqual(errorsOf(validate, without));
  });
});

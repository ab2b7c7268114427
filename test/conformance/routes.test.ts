import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../handlers/routes.ts';
import type { Operation } from '../../lib/http/operation.ts';
import type { OperationSpec } from '../../lib/http/operation-spec.ts';
import type { Services } from '../../lib/services.ts';
import { ROOT, readSources } from './sources.ts';

/** Handler files without a route, with their operations. */
const WITHOUT_ROUTE: Readonly<Record<string, string>> = {
  'handlers/errors/not-found.ts': 'refusePath',
  'handlers/errors/method-not-allowed.ts': 'refuseMethod',
};

interface HandlerFile {
  readonly path: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly handler: Operation<Services>;
}

const paths = readSources(['handlers'])
  .map(({ path }) => path)
  .filter((path) => path.split('/').length === 3);
let files: readonly HandlerFile[] = [];

beforeAll(async () => {
  files = await Promise.all(
    paths.map(async (path) => {
      const exports = await import(pathToFileURL(`${ROOT}${path}`).href);
      return { path, exports, handler: exports.handler };
    }),
  );
});

/** The differences between these handler files and the handlers of this table, one line each. */
function routeBreaches(
  handlers: readonly Pick<HandlerFile, 'path' | 'handler'>[],
  routed: readonly Operation<Services>[],
): readonly string[] {
  return handlers.flatMap(({ path, handler }) => {
    const expected = WITHOUT_ROUTE[path] === undefined ? 1 : 0;
    const times = routed.filter((one) => one === handler).length;
    return times === expected ? [] : [`${path} stands in the route table ${times} times`];
  });
}

/** `createImage` as `create-image`. */
function toKebabCase(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function nameBreaches({ path, handler }: Pick<HandlerFile, 'path' | 'handler'>): readonly string[] {
  const { id } = handler.spec;
  const isRight = WITHOUT_ROUTE[path] === id || path.endsWith(`/${toKebabCase(id)}.ts`);
  return isRight ? [] : [`${path} holds the operation ${id}`];
}

/** The differences between the parameters of a path and the schema that its handler declares. */
function parameterBreaches(path: string, spec: OperationSpec): readonly string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
  const schema = spec.request.path;
  const result = schema ? v.safeParse(schema, {}) : undefined;
  const inSchema = (result?.issues ?? []).map((issue) => v.getDotPath(issue)).sort();
  return String(inPath) === String(inSchema)
    ? []
    : [`${spec.id}: the path has [${inPath}], the schema [${inSchema}]`];
}

describe('the handler files', () => {
  it('export exactly one value, the handler of one operation', () => {
    const others = files.filter(
      ({ exports, handler }) =>
        String(Object.keys(exports)) !== 'handler' || typeof handler?.spec?.id !== 'string',
    );

    expect(others.map(({ path }) => path)).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
  });

  it('are named after their operations', () => {
    expect(files.flatMap(nameBreaches)).toEqual([]);
  });

  it('are in the route table once, except the replies without a route', () => {
    const routed = routes.map(({ handler }) => handler);

    expect(routeBreaches(files, routed)).toEqual([]);
  });

  it('create their operation with createOperation', () => {
    const unbound = readSources(['handlers'])
      .filter(({ path }) => paths.includes(path))
      .filter(({ text }) => !text.includes("from '../operation.ts';"));

    expect(unbound.map(({ path }) => path)).toEqual([]);
  });

  it('include every reply that is listed as without a route', () => {
    expect(paths).toEqual(expect.arrayContaining(Object.keys(WITHOUT_ROUTE)));
  });
});

describe('the route table', () => {
  it('has each method and path once', () => {
    const endpoints = routes.map(({ method, path }) => `${method} ${path}`);

    expect(new Set(endpoints).size).toBe(endpoints.length);
  });

  it('has each operation id once', () => {
    const ids = files.map(({ handler }) => handler.spec.id);

    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives each handler the path parameters that it declares', () => {
    const breaches = routes.flatMap(({ path, handler }) => parameterBreaches(path, handler.spec));

    expect(breaches).toEqual([]);
  });

  it('requires a bearer token below /v1, for the metrics and for agents, and not for health', () => {
    const others = routes.filter(
      ({ path, handler }) =>
        (handler.spec.protection === 'public') === /^\/(v1\/|metrics$|mcp$)/.test(path),
    );

    expect(others.map(({ path }) => path)).toEqual([]);
  });
});

describe('these rules', () => {
  const handler = Object.assign(() => Promise.reject(new Error('never called')), {
    spec: {
      id: 'createJob',
      summary: 'Create a job',
      protection: 'read' as const,
      request: { path: v.object({ id: v.string() }) },
      reply: { status: 200, description: 'A job.' },
      errors: [],
    },
  });

  it('report a file with another name than its operation', () => {
    expect(nameBreaches({ path: 'handlers/jobs/make-job.ts', handler })).toEqual([
      'handlers/jobs/make-job.ts holds the operation createJob',
    ]);
    expect(nameBreaches({ path: 'handlers/jobs/create-job.ts', handler })).toEqual([]);
  });

  it('report a handler without a route, one with two, and a route for a reply that must have none', () => {
    const path = 'handlers/jobs/create-job.ts';
    const reply = { path: 'handlers/errors/not-found.ts', handler };

    expect(routeBreaches([{ path, handler }], [])).toHaveLength(1);
    expect(routeBreaches([{ path, handler }], [handler, handler])).toHaveLength(1);
    expect(routeBreaches([reply], [handler])).toHaveLength(1);
  });

  it('report an undeclared path parameter, and one that no path has', () => {
    expect(parameterBreaches('/v1/jobs/{job}', handler.spec)).toHaveLength(1);
    expect(parameterBreaches('/v1/jobs', handler.spec)).toHaveLength(1);
    expect(parameterBreaches('/v1/jobs/{id}', handler.spec)).toEqual([]);
  });
});

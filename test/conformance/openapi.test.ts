import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { routes } from '../../handlers/routes.ts';
import { buildOpenApiDocument } from '../../infra/generators/openapi/build-document.ts';
import type { JsonObject } from '../../lib/contract/json-schema.ts';
import { createReplyChecker } from '../support/reply-checker.ts';

const document = buildOpenApiDocument(routes, '0.0.0');

/** Code of a client that uses the generated types. */
const CLIENT = `
import type { components, paths } from './api.ts';

type Schemas = components['schemas'];
type Replies = paths['/v1/images']['post']['responses'];

export const shortest: Schemas['ImageRequest'] = { prompt: 'a cat' };
export const edit: Schemas['ImageRequest'] = {
  operation: 'edit',
  prompt: 'night',
  images: [{ type: 'artifact', artifact_id: 'x' }],
  parameters: { n: 2, background: 'transparent', input_fidelity: null },
  output: { response_format: 'artifact', transparency: { mode: 'native' } },
};
// @ts-expect-error: objects are closed
export const typo: Schemas['ImageRequest'] = { promt: 'a cat' };

export function read(reply: Replies[200]['content']['application/json']): string[] {
  const count: number = reply.requested.n;
  return reply.data.map((image) =>
    image.type === 'b64_json' ? image.b64_json : image.type + image.sha256 + count,
  );
}

export function fail(reply: Replies[422]['content']['application/json']): string | null {
  return reply.error.param ?? reply.error.bridge_ext.suggestions[0] ?? null;
}

export function follow(event: Schemas['StreamEvent']): string | undefined {
  return event.type === 'completed' ? event.response.model : undefined;
}

export const query: paths['/v1/providers']['get']['parameters']['query'] = { limit: 5 };
`;

async function compile(types: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'api-types-'));
  try {
    const client = join(directory, 'client.ts');
    await writeFile(join(directory, 'api.ts'), types);
    await writeFile(client, CLIENT);
    const program = ts.createProgram([client], {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: [],
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    await rm(directory, { recursive: true });
  }
}

function operationsOf(api: JsonObject): [string, string, JsonObject][] {
  const paths = api['paths'] as Record<string, Record<string, JsonObject>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, JsonObject] => [
      method,
      path,
      operation,
    ]),
  );
}

describe('the OpenAPI document', () => {
  it('lists exactly the mounted routes', () => {
    const listed = operationsOf(document).map(([method, path, operation]) => [
      method.toUpperCase(),
      path,
      operation['operationId'],
    ]);

    expect(listed.sort()).toEqual(
      routes.map(({ method, path, handler }) => [method, path, handler.spec.id]).sort(),
    );
  });

  it('passes a public linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });

    const problems = await lintFromString({ source: stringify(document), config });

    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('generates types that compile with the code of a client', async () => {
    const types = astToString(await openapiTS(JSON.stringify(document)));

    expect(await compile(types)).toEqual([]);
  });

  it('has examples that are valid replies of their operations', () => {
    const checker = createReplyChecker(document);
    const headers = {
      'x-request-id': 'r1',
      'x-should-retry': 'false',
      'content-type': 'application/json',
    };

    for (const [, , operation] of operationsOf(document)) {
      for (const [status, body] of exampleReplies(operation)) {
        expect(() =>
          checker.check(String(operation['operationId']), status, headers, body),
        ).not.toThrow();
      }
    }
  });
});

/** The example bodies of an operation with their status, references resolved. */
function exampleReplies(operation: JsonObject): [number, unknown][] {
  const responses = operation['responses'] as Record<string, JsonObject>;
  return Object.entries(responses).flatMap(([status, response]) => {
    const { content } = followed(response) as {
      content?: Record<string, { examples?: JsonObject }>;
    };
    const examples = Object.values(content?.['application/json']?.examples ?? {});
    return examples.map((example): [number, unknown] => {
      const { request_id, ...body } = followed(example as JsonObject)['value'] as JsonObject;
      return [Number(status), request_id === undefined ? body : { ...body, request_id: 'r1' }];
    });
  });
}

function followed(part: JsonObject): JsonObject {
  if (typeof part['$ref'] !== 'string') return part;
  const keys = part['$ref'].slice('#/'.length).split('/');
  return keys.reduce<JsonObject>((inner, key) => inner[key] as JsonObject, document);
}

import { describe, expect, it } from 'vitest';
import { routes } from '../../handlers/routes.ts';
import { listedIssues, toRequestIssues } from '../../lib/contract/schema/issues.ts';
import { parseWithLimits } from '../../lib/contract/schema/request-limits.ts';
import type { Schema } from '../../lib/http/operation-spec.ts';
import { ApiFailure } from '../../lib/mcp/bridge-api.ts';
import { editImage, generateImage, planImage } from '../../lib/mcp/tools/image-tools.ts';
import { cancelJob, getJob, listJobs } from '../../lib/mcp/tools/job-tools.ts';
import { listModels } from '../../lib/mcp/tools/list-models.ts';
import { LIMITS } from '../lib/contract/verdict-of.ts';
import { longReadsOf } from '../support/long-reads.ts';
import { type TextSite, textSites } from '../support/text-sites.ts';

/** Flat, as a parser makes it: 64 MB. */
const LONG = Buffer.alloc(64 * 1024 * 1024, 'x').toString('latin1');

/** More than the longest list of short issues has. */
const MAX_REPLY_CHARS = 20_000;

/** Fields without a limit of their own: images, which are looked at when they are decoded, and what is left out unread. */
const UNLIMITED =
  /\.(data_url|data|image_url|style|frame_count)$|^\.<unknown>$|^\.openai\.<unknown>$/;

/** A job's delivery is replaced whatever it is, and names of any JSON are limited where its structure is checked. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  createJob: /^\.output\.response_format$/,
  callMcp: /\.<name>$/,
};

/** The protocol passes them on to a tool unread; the tools are tested below. */
const OF_TOOLS = [
  { path: '.params.arguments.a', put: (a: string) => ({ params: { arguments: { a } } }) },
];
const OF_MESSAGES: readonly TextSite[] = [
  { path: '.params.name', put: (name) => ({ method: 'tools/call', params: { name } }) },
  { path: '[1].id', put: (id) => [{}, { id }] },
  { path: '.params._meta.a', put: (a) => ({ params: { _meta: { a } } }) },
  { path: '.params[0]', put: (text) => ({ params: [text] }) },
];

type Body = [id: string, schema: Schema, sites: readonly TextSite[]];

const bodies: readonly Body[] = routes.flatMap(({ handler: { spec } }): Body[] => {
  const { body, form } = spec.request;
  const more = spec.id === 'callMcp' ? OF_MESSAGES : [];
  return [
    ...(body ? [[spec.id, body, [...textSites(body), ...more]] satisfies Body] : []),
    ...(form ? [[`${spec.id} (form)`, form.fields, formSites(form.fields)] satisfies Body] : []),
  ];
});

/** The names of a form's parts, and texts below `bridge_ext`, are limited before the schema sees them. */
function formSites(fields: Schema): TextSite[] {
  return [...textSites(fields)].filter(
    ({ path }) => path !== '.<name>' && !path.startsWith('.bridge_ext'),
  );
}

async function parse(schema: Schema, { put }: TextSite) {
  const input = put(LONG);
  let text = '';
  let isValid = false;
  const reads = await longReadsOf(() => {
    const { issues } = parseWithLimits(schema, input, LIMITS);
    isValid = issues === undefined;
    text = JSON.stringify(listedIssues(toRequestIssues(issues ?? [])));
  });
  return { reads, isValid, text };
}

describe('the schema of every body', () => {
  it('is known for every operation that takes one', () => {
    expect(bodies.length).toBeGreaterThan(10);
  });

  it.each(bodies)(
    'of %s reads no text that is too long, and repeats none',
    async (_id, schema, sites) => {
      for (const site of sites) {
        const { reads, text } = await parse(schema, site);
        expect(reads, site.path).toEqual([]);
        expect(text.length, site.path).toBeLessThan(MAX_REPLY_CHARS);
      }
    },
  );

  it.each(bodies)('of %s limits every text but those of images', async (id, schema, sites) => {
    for (const site of sites) {
      if (UNLIMITED.test(site.path) || ELSEWHERE[id]?.test(site.path)) continue;
      const { text } = await parse(schema, site);
      // Named itself: the fields that are missing beside it have issues of their own.
      const issues = JSON.parse(text) as readonly { readonly code: string }[];
      expect(
        issues.some(({ code }) => code !== 'required'),
        site.path,
      ).toBe(true);
    }
  });

  it('of callMcp leaves the arguments of a tool to the tool', async () => {
    const schema = bodies.find(([id]) => id === 'callMcp')?.[1];
    for (const site of OF_TOOLS) {
      expect(schema && (await parse(schema, site))).toMatchObject({ reads: [], isValid: true });
    }
  });
});

const TOOLS = [generateImage, editImage, planImage, getJob, listJobs, cancelJob, listModels];

describe('every tool', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s reads no argument that is too long, and repeats none',
    async (_name, tool) => {
      const context = {
        api: { json: refuse, bytes: refuse, events: refuse },
        signal: new AbortController().signal,
        readFile: refuse,
      } as unknown as Parameters<typeof tool.run>[1];
      for (const { path, put } of textSites(tool.input)) {
        const input = put(LONG);
        const reads = await longReadsOf(async () => {
          const failure: unknown = await tool.run(input, context).catch((error: unknown) => error);
          expect(failure, path).toBeInstanceOf(ApiFailure);
          expect(
            JSON.stringify({ ...Object(failure), message: String(failure) }).length,
          ).toBeLessThan(MAX_REPLY_CHARS);
        });
        expect(reads, path).toEqual([]);
      }
    },
  );
});

/** Stands for the parts that a text above its limit never reaches. */
function refuse(): never {
  throw new ApiFailure('invalid_request', 'the image has no end');
}

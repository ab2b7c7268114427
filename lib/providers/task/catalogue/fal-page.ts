import * as v from 'valibot';
import type { ParsePage } from '../../catalogue/catalogue-page.ts';
import { toItems } from './endpoint-facts.ts';

// Source: fal's reference of the API of the platform, 2026-11.

const CATEGORIES = ['text-to-image', 'image-to-image'] as const;
const LIST = '/v1/models?status=active&expand=openapi-3.0';

/** The first replies of an answer: the lists of the models that make images. */
export const FAL_LISTS: readonly string[] = CATEGORIES.map(
  (category) => `${LIST}&category=${category}`,
);

const Page = v.object({
  models: v.array(v.unknown()),
  next_cursor: v.optional(v.nullable(v.string())),
  has_more: v.optional(v.boolean()),
});
const Model = v.object({
  endpoint_id: v.pipe(v.string(), v.regex(/^\w[\w.-]*(\/\w[\w.-]*)+$/), v.maxLength(128)),
  metadata: v.object({ category: v.picklist(CATEGORIES) }),
  openapi: v.unknown(),
});
const Paths = v.object({ paths: v.record(v.string(), v.unknown()) });
const Path = v.object({
  post: v.object({
    requestBody: v.object({
      content: v.object({ 'application/json': v.object({ schema: v.unknown() }) }),
    }),
  }),
});

/** Parses one page of fal's list of models with their OpenAPI documents. */
export const parseFalPage: ParsePage = (reply, { path, constants }) => {
  const parsed = v.safeParse(Page, reply);
  if (!parsed.success) return undefined;
  const models = parsed.output.models.flatMap((item) => {
    const model = v.safeParse(Model, item);
    return model.success ? [model.output] : [];
  });
  const { next_cursor: cursor, has_more: hasMore = true } = parsed.output;
  return {
    items: models.flatMap(({ endpoint_id: name, openapi }) => {
      const at = inputOf(openapi);
      return at === undefined ? [] : toItems(name, { document: openapi, at }, constants[name]);
    }),
    more: cursor && hasMore ? [withCursor(path, cursor)] : [],
  };
};

function withCursor(path: string, cursor: string): string {
  const [first = path] = path.split('&cursor=');
  return `${first}&cursor=${encodeURIComponent(cursor)}`;
}

/** Returns the JSON pointer to the input of an endpoint: the body of the POST in its OpenAPI document. */
function inputOf(openapi: unknown): string | undefined {
  const document = v.safeParse(Paths, openapi);
  if (!document.success) return undefined;
  const path = Object.keys(document.output.paths).find((name) =>
    v.is(Path, document.output.paths[name]),
  );
  if (path === undefined) return undefined;
  const token = path.replaceAll('~', '~0').replaceAll('/', '~1');
  return `/paths/${token}/post/requestBody/content/application~1json/schema`;
}

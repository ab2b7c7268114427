import middy from '@middy/core';
import type * as v from 'valibot';
import type { RequestContext } from '../contract/request/request-context.ts';
import { authenticate } from './authenticate.ts';
import { type Form, formBody } from './body/form-body.ts';
import { jsonBody } from './body/json-body.ts';
import { declaredBody } from './body/read-body.ts';
import { browserGuard } from './browser-guard.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import { observe } from './observe.ts';
import type { FormSpec, OperationSpec, RequestSpec, Schema } from './operation-spec.ts';
import { parseBody, parseHead } from './parse-request.ts';
import { replyHeaders, toReply } from './reply/encode-reply.ts';
import { errorReply } from './reply/error-reply.ts';
import type { Reply } from './reply/reply.ts';
import { startCall, toRequestContext } from './request-context.ts';
import { callOf, type Middleware, type StackRequest } from './stack-request.ts';

type Parsed<S> = S extends Schema ? v.InferOutput<S> : undefined;

interface JsonContent<S> {
  readonly form?: undefined;
  readonly body: Parsed<S>;
}

interface FormContent<S extends FormSpec> {
  readonly form: Form<v.InferOutput<S['fields']>, S['files'][keyof S['files']]['role']>;
  readonly body?: undefined;
}

/** The parsed body: JSON or a form. Where an operation takes both, it is one of the two. */
type Content<R extends RequestSpec> = R['form'] extends FormSpec
  ? FormContent<R['form']> | (R['body'] extends Schema ? JsonContent<R['body']> : never)
  : JsonContent<R['body']>;

/** Everything that a handler gets of one request. */
export type OperationCall<Services, R extends RequestSpec> = CallFacts<Services, R> & Content<R>;

interface CallFacts<Services, R extends RequestSpec> {
  readonly path: Parsed<R['path']>;
  readonly query: Parsed<R['query']>;
  readonly headers: Parsed<R['headers']>;
  /** For the services: passed on as it is. */
  readonly context: RequestContext;
  /** The event's own headers, for conditional requests and ranges. */
  readonly event: HttpEvent;
  readonly services: Services;
}

export interface Operation<Services> {
  (event: HttpEvent, context: HttpContext<Services>): Promise<HttpReply>;
  readonly spec: OperationSpec;
}

/** What a handler file declares: its schemas and one function. */
export interface OperationDeclaration<Services, R extends RequestSpec, B> extends OperationSpec {
  readonly request: R;
  readonly handle: (call: OperationCall<Services, R>) => Promise<Reply<B>> | Reply<B>;
}

/** middy's wrapper in our types. Its own types describe AWS's context, which is not used here. */
interface Stack<Services> {
  (
    event: HttpEvent,
    context: HttpContext<Services> & { readonly spec: OperationSpec },
  ): Promise<HttpReply>;
  use(middleware: Middleware): void;
}

/**
 * Puts the one middy stack around a handler, so that no handler can omit or reorder a middleware. The order is that of
 * the checks in contract.md 0. What needs the body comes last: a refusal never waits for it.
 */
export function createOperation<Services, const R extends RequestSpec, B>(
  declaration: OperationDeclaration<Services, R, B>,
): Operation<Services> {
  const { handle, ...spec } = declaration;
  // Without getRemainingTimeInMillis: deadlines are those of requests, and middy's signal does not know the client.
  const stack = middy(
    async (event: HttpEvent, context: HttpContext<Services>) => {
      const call = callOf({ context });
      const { path, query, headers, body, form } = call;
      // Member by member: a spread followed by members of the same names costs more than a whole small route.
      const given = {
        path,
        query,
        headers,
        body,
        form,
        context: toRequestContext({ spec, event }, call, context),
        event,
        services: context.services,
      };
      // The parse middlewares have set these members to what the declared schemas returned.
      const reply = await handle(given as unknown as OperationCall<Services, R>);
      return toReply(reply, spec, context.settings, call.requestId);
    },
    { timeoutEarlyInMillis: 0 },
  ) as unknown as Stack<Services>;
  for (const middleware of middlewaresFor(spec)) stack.use(middleware);
  // Each request has a context of its own, because the middlewares write into it.
  const operation = (event: HttpEvent, context: HttpContext<Services>): Promise<HttpReply> =>
    stack(event, toOwnContext(context, spec));
  return Object.assign(operation, { spec });
}

function middlewaresFor(spec: OperationSpec): readonly Middleware[] {
  const common = [startCall, observe, replyHeaders, errorReply, browserGuard, authenticate];
  if (spec.protection === 'by_path') return common;
  const { body, form } = spec.request;
  if (!body && !form) return [...common, parseHead(spec)];
  return [
    ...common,
    declaredBody(spec.request),
    parseHead(spec),
    ...(form ? [formBody(form)] : []),
    ...(body ? [jsonBody, parseBody(body)] : []),
  ];
}

/** Written member by member, `call` included: V8 then sees one object shape. */
function toOwnContext<Services>(
  { services, settings, route, signal, onReplied }: HttpContext<Services>,
  spec: OperationSpec,
): StackRequest['context'] & HttpContext<Services> & { readonly spec: OperationSpec } {
  return { services, settings, route, signal, onReplied, spec, call: undefined };
}

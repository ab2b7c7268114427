import middy from '@middy/core';
import type * as v from 'valibot';
import type { RequestContext } from '../contract/request/request-context.ts';
import { authenticate } from './authenticate.ts';
import { browserGuard } from './browser-guard.ts';
import { replyHeaders, toReply } from './encode-reply.ts';
import { errorReply } from './error-reply.ts';
import { type Form, formBody } from './form-body.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import { jsonBody } from './json-body.ts';
import { observe } from './observe.ts';
import type { FormSpec, OperationSpec, RequestSpec, Schema } from './operation-spec.ts';
import { parseBody, parseHead } from './parse-request.ts';
import { declaredBody } from './read-body.ts';
import type { Reply } from './reply.ts';
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

/** What the body held; where an operation takes both, it is one of the two. */
type Content<R extends RequestSpec> = R['form'] extends FormSpec
  ? FormContent<R['form']> | (R['body'] extends Schema ? JsonContent<R['body']> : never)
  : JsonContent<R['body']>;

/** Everything that a handler may know about one request. */
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

/** What a handler file declares: its shapes, and one function. */
export interface OperationDeclaration<Services, R extends RequestSpec, B> extends OperationSpec {
  readonly request: R;
  readonly handle: (call: OperationCall<Services, R>) => Promise<Reply<B>> | Reply<B>;
}

/** middy's wrapper in our types: its own describe AWS's context, of which nothing is used here. */
interface Stack<Services> {
  (
    event: HttpEvent,
    context: HttpContext<Services> & { readonly spec: OperationSpec },
  ): Promise<HttpReply>;
  use(middleware: Middleware): void;
}

/**
 * Puts the one middy stack around a handler, so that no handler can forget a middleware or reorder the stack. The order
 * is the order of the checks in contract.md 0; what needs the body comes last, so that a refusal never waits for it.
 */
export function createOperation<Services, const R extends RequestSpec, B>(
  declaration: OperationDeclaration<Services, R, B>,
): Operation<Services> {
  const { handle, ...spec } = declaration;
  // No getRemainingTimeInMillis and no middy signal: its one AbortController is shared by all requests.
  const stack = middy(
    async (event: HttpEvent, context: HttpContext<Services>) => {
      const call = callOf({ context });
      const { path, query, headers, body, form } = call;
      // Member by member: a spread that members of the same names follow costs more than all of a small route.
      const given = {
        path,
        query,
        headers,
        body,
        form,
        context: toRequestContext({ operationId: spec.id, event }, call, context),
        event,
        services: context.services,
      };
      // The parse middlewares have put what the declared schemas gave in these places.
      const reply = await handle(given as unknown as OperationCall<Services, R>);
      return toReply(reply, spec, context.settings, call.requestId);
    },
    { timeoutEarlyInMillis: 0 },
  ) as unknown as Stack<Services>;
  for (const middleware of middlewaresFor(spec)) stack.use(middleware);
  // A context of its own for each request: the middlewares leave their findings in it.
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

/** Member by member, and with the place of the call: its shape never changes. */
function toOwnContext<Services>(
  { services, settings, route, signal, onReplied }: HttpContext<Services>,
  spec: OperationSpec,
): StackRequest['context'] & HttpContext<Services> & { readonly spec: OperationSpec } {
  return { services, settings, route, signal, onReplied, spec, call: undefined };
}

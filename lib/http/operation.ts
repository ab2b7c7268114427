import middy from '@middy/core';
import type * as v from 'valibot';
import type { RequestContext } from '../contract/request/request-context.ts';
import { authenticate, browserGuard } from './access.ts';
import { type Form, formBody } from './body/form-body.ts';
import { jsonBody } from './body/json-body.ts';
import { declaredBody } from './body/read-body.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import type { FormSpec, OperationSpec, RequestSpec, Schema } from './operation-spec.ts';
import { parseBody, parseHead } from './parse-request.ts';
import { errorReply, replyHeaders, toReply } from './reply/encode-reply.ts';
import type { Reply } from './reply/reply.ts';
import { callOf, type Middleware, observe, startCall, toRequestContext } from './stack.ts';

type Parsed<S> = S extends Schema ? v.InferOutput<S> : undefined;

interface JsonContent<S> {
  readonly form?: undefined;
  readonly body: Parsed<S>;
}

interface FormContent<S extends FormSpec> {
  readonly form: Form<v.InferOutput<S['fields']>, S['files'][keyof S['files']]['role']>;
  readonly body?: undefined;
}

/** The parsed body. If an operation accepts JSON and a form, `form` or `body` is undefined. */
type Content<R extends RequestSpec> = R['form'] extends FormSpec
  ? FormContent<R['form']> | (R['body'] extends Schema ? JsonContent<R['body']> : never)
  : JsonContent<R['body']>;

/** The argument of a handler. */
export type OperationCall<Services, R extends RequestSpec> = CallFacts<Services, R> & Content<R>;

interface CallFacts<Services, R extends RequestSpec> {
  readonly path: Parsed<R['path']>;
  readonly query: Parsed<R['query']>;
  readonly headers: Parsed<R['headers']>;
  /** The context that handlers pass to services unchanged. */
  readonly context: RequestContext;
  /** The event with the raw headers of the request. */
  readonly event: HttpEvent;
  readonly services: Services;
}

export interface Operation<Services> {
  (event: HttpEvent, context: HttpContext<Services>): Promise<HttpReply>;
  readonly spec: OperationSpec;
}

/** The declaration in a handler file. */
export interface OperationDeclaration<Services, R extends RequestSpec, B> extends OperationSpec {
  readonly request: R;
  readonly handle: (call: OperationCall<Services, R>) => Promise<Reply<B>> | Reply<B>;
}

/** The wrapped handler that middy returns. The types of middy describe the AWS Lambda context, which is not used here. */
interface Stack<Services> {
  (
    event: HttpEvent,
    context: HttpContext<Services> & { readonly spec: OperationSpec },
  ): Promise<HttpReply>;
  use(middleware: Middleware): void;
}

/** Wraps a handler in the middy stack. The stack is built only here, so that no handler can omit or reorder a middleware. */
export function createOperation<Services, const R extends RequestSpec, B>(
  declaration: OperationDeclaration<Services, R, B>,
): Operation<Services> {
  const { handle, ...spec } = declaration;
  // middy's early timeout is disabled, because requests have their own deadlines and signals.
  const stack = middy(
    async (event: HttpEvent, context: HttpContext<Services>) => {
      const call = callOf({ context });
      const { path, query, headers, body, form } = call;
      // The members are listed because a spread would take more time than all other steps of a small route.
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
      // The cast is safe because the parse middlewares have set these members to the output of the declared schemas.
      const reply = await handle(given as unknown as OperationCall<Services, R>);
      return toReply(reply, spec, context.settings, call.requestId);
    },
    { timeoutEarlyInMillis: 0 },
  ) as unknown as Stack<Services>;
  for (const middleware of middlewaresFor(spec)) stack.use(middleware);
  const operation = (
    event: HttpEvent,
    { services, settings, route, signal, onReplied }: HttpContext<Services>,
  ): Promise<HttpReply> => {
    // The context is copied because the middlewares set `call`. All members are listed so that V8 uses a single object shape.
    const own = { services, settings, route, signal, onReplied, spec, call: undefined };
    return stack(event, own);
  };
  return Object.assign(operation, { spec });
}

function middlewaresFor(spec: OperationSpec): readonly Middleware[] {
  const common = [startCall, observe, replyHeaders, errorReply, browserGuard, authenticate];
  if (spec.protection === 'by_path') return common;
  const { body, form } = spec.request;
  if (!body && !form) return [...common, parseHead(spec)];
  // The body is read last, because a rejection must not wait for the body.
  return [
    ...common,
    declaredBody(spec.request),
    parseHead(spec),
    ...(form ? [formBody(form)] : []),
    ...(body ? [jsonBody, parseBody(body)] : []),
  ];
}

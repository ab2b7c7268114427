import { unknownOutcome } from '../failed-calls.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { ProviderContext } from '../provider-port.ts';
import type { RequestPace } from './request-pace.ts';
import type { TaskBodies } from './task-bodies.ts';
import type { TaskClient } from './task-client.ts';
import type { TaskHosts } from './task-hosts.ts';
import type { TaskCall, TaskService, TaskState, TaskTicket } from './task-service.ts';
import { parseTicket, toTicketText } from './ticket.ts';

interface Deps {
  readonly service: TaskService;
  readonly client: TaskClient;
  readonly bodies: TaskBodies;
  readonly hosts: TaskHosts;
  readonly pace: RequestPace;
}

/** The state of a task, with the reply that contains the state. */
export interface FoundState {
  readonly state: TaskState;
  /** Decodes the images in the reply. */
  readonly json: StreamedJson;
}

/** A task that the service has accepted. */
export interface Task {
  /** The ticket with absolute URLs at the hosts of the API. */
  readonly ticket: TaskTicket;
  /** True if another process can continue with the ticket. */
  readonly isStored: boolean;
  /** The state in the reply to the submission. Absent for a ticket of an earlier process. */
  readonly first?: FoundState;
}

/** Creates the function that submits the task of a call, or continues with the ticket of an earlier process. */
export function createTaskStart({ service, client, bodies, hosts, pace }: Deps) {
  async function submitted(call: TaskCall, context: ProviderContext): Promise<Task> {
    const post = await bodies.toPost(call, context);
    pace.count();
    const { reply, json } = await client.submit(post, call, context);
    const accepted = service.accepted(reply);
    if (!accepted) throw unknownOutcome('unexpected_reply');
    const ticket = withUrls(accepted.ticket, (url) => hosts.apiUrl(url, post.url));
    const isStored = await context.accepted(toTicketText(ticket));
    return { ticket, isStored, first: { state: accepted.state, json } };
  }

  function resumed(text: string, { onEvent }: ProviderContext): Task {
    onEvent({ type: 'progress', stage: 'dispatched' });
    return {
      ticket: withUrls(parseTicket(text), (url) => hosts.apiUrl(url, url)),
      isStored: true,
    };
  }

  /** Throws if the service does not accept the task, or if a URL of the ticket is at another host. */
  return async function started(call: TaskCall, context: ProviderContext): Promise<Task> {
    const { ticket } = call.request;
    return ticket === undefined ? submitted(call, context) : resumed(ticket, context);
  };
}

/** Returns a ticket with each of its URLs replaced. */
function withUrls(ticket: TaskTicket, toUrl: (url: string) => string): TaskTicket {
  const { poll, result, cancel } = ticket;
  return {
    ...ticket,
    poll: toUrl(poll),
    ...(result === undefined ? {} : { result: toUrl(result) }),
    ...(cancel === undefined ? {} : { cancel: toUrl(cancel) }),
  };
}

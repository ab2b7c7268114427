/** The behaviour of one submission and of its task. Without members, a task is found running once and then finished. */
export interface Behaviour {
  /** Fault of the submission. Each fault that is named `made_` accepts and charges the task first. */
  readonly submission?:
    | 'cut'
    | 'made_cut'
    | 'made_cut_in_reply'
    | 'html_502'
    | 'made_html_502'
    | 'made_html_200'
    | 'rate_limited'
    | 'server_error'
    | 'unknown_model';
  /** Replies to the first reads of the task, before the replies by its phase. */
  readonly reads?: readonly ReadFault[];
  /** Number of polls that find the task unfinished; 1 by default. */
  readonly waits?: number;
  /** The phase of the unfinished task; `running` by default. */
  readonly waiting?: 'queued' | 'running' | 'unheard_of';
  readonly end?: 'done' | 'failed' | 'moderated' | 'lost';
  /** Number of images instead of the requested number. */
  readonly count?: number;
  /** True if the poll URL is at a host that is not the service. */
  readonly isPollForeign?: boolean;
  readonly image?: 'foreign' | 'private' | 'redirected' | 'redirected_out' | 'expired' | 'oversize';
}

export type ReadFault = 'server_error' | 'html_502' | 'html_200' | 'rate_limited' | 'cut';

import { CircleAlert, KeyRound, Unplug } from 'lucide';
import type { ApiError } from '../api/api-error.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { usePage } from '../page-context.ts';
import { toFailureText } from '../text/failure-text.ts';
import { text } from '../text/text.ts';
import './system-blank.css';

/** In place of the state of the bridge: why it is not known, and the one thing to do. */
export function SystemBlank({ error }: { readonly error: ApiError | undefined }) {
  const { connection, diagnostics } = usePage();
  const { value: state } = connection.state;
  const { icon, title, detail } = toReason(state, error);
  return (
    <div class="system-blank">
      <Icon of={icon} class="faint" />
      <div role="alert">
        <h2>{title}</h2>
        <p class="soft">{detail}</p>
      </div>
      {state === 'unauthorized' ? (
        <Button look="primary" onClick={connection.askForToken}>
          {text('token.connect')}
        </Button>
      ) : (
        <Button
          look="primary"
          onClick={state === 'offline' ? connection.probe : () => void diagnostics.read()}
        >
          {text('gallery.offline.try')}
        </Button>
      )}
    </div>
  );
}

function toReason(state: string, error: ApiError | undefined) {
  if (state === 'unauthorized') {
    return { icon: KeyRound, title: text('token.title'), detail: text('system.blank.token') };
  }
  if (state === 'offline' || error === undefined) {
    return { icon: Unplug, title: text('gallery.offline'), detail: text('system.blank.offline') };
  }
  if (error.status === 403) {
    return {
      icon: KeyRound,
      title: text('system.blank.denied'),
      detail: text('system.blank.denied.text'),
    };
  }
  const { title } = toFailureText(error, Date.now());
  return { icon: CircleAlert, title, detail: text('system.blank.failed') };
}

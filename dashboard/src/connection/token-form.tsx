import { Eye, EyeOff, KeyRound } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Field } from '../controls/inputs.tsx';
import { text } from '../text/text.ts';
import './token-dialogs.css';

interface FormProps {
  readonly isRefused: boolean;
  readonly onToken: (token: string) => void;
  readonly onPutOff: () => void;
  /** Asks again with the token of the tab, which the bridge has rejected. Undefined if the tab has no such token. */
  readonly retry: (() => Promise<void>) | undefined;
  /** Undefined if the tab has no token. */
  readonly onForget: (() => void) | undefined;
}

/** Shows the dialog in which the user enters the token. */
export function TokenForm({ isRefused, retry, onToken, onPutOff, onForget }: FormProps) {
  const [token, setToken] = useState('');
  const [isShown, setShown] = useState(false);
  const [isRefusedAgain, setRefusedAgain] = useState(false);
  // A header can contain only visible ASCII characters, so any other character in a token is a copying mistake.
  const isBad = token !== '' && !/^[\x21-\x7e]+$/.test(token.trim());
  return (
    <Dialog title={text('token.title')} onClose={onPutOff}>
      <form
        class="token-form stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '' && !isBad) onToken(token.trim());
        }}
      >
        <p class="soft">{text(retry ? 'token.rejected' : 'token.text')}</p>
        <Field
          label={text('token.label')}
          type={isShown ? 'text' : 'password'}
          value={token}
          bad={isBad || isRefused}
          aria-describedby="token-note"
          onInput={setToken}
          before={<Icon of={KeyRound} />}
          after={
            <IconButton
              small
              icon={isShown ? EyeOff : Eye}
              label={text(isShown ? 'token.hide' : 'token.show')}
              onClick={() => setShown(!isShown)}
            />
          }
        />
        <p id="token-note" class="bad" role="alert">
          {isBad
            ? text('token.characters')
            : (isRefused || (retry && isRefusedAgain)) && text('token.refused')}
        </p>
        <div class="ends">
          {onForget && (
            <Button look="quiet" onClick={onForget}>
              {text('token.forget')}
            </Button>
          )}
          <Button look="quiet" onClick={onPutOff}>
            {text('token.notNow')}
          </Button>
          {retry && (
            <Button onClick={() => void retry().then(() => setRefusedAgain(true))}>
              {text('action.retry')}
            </Button>
          )}
          <Button look="primary" type="submit" disabled={token.trim() === '' || isBad}>
            {text('token.connect')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

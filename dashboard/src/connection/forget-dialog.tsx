import { Button } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
import './token-dialogs.css';

/** Asks for confirmation before the token is forgotten, because the draft is deleted with it and cannot be restored. */
export function ForgetDialog({ onClose }: { readonly onClose: () => void }) {
  const { connection } = usePage();
  return (
    <Dialog title={text('token.forget.title')} onClose={onClose}>
      <div class="token-form stack">
        <p class="soft">{text('token.forget.text')}</p>
        <div class="ends">
          <Button look="quiet" onClick={onClose}>
            {text('token.keep')}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              onClose();
              connection.setToken(undefined);
            }}
          >
            {text('token.forget')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

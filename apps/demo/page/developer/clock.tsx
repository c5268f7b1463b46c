import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { formatMoment } from '../screen/wording.tsx';
import { tools } from '../text/tools.ts';

/** Moves the clock of the demo forward: what expires, expires. */
export function Clock(): ReactElement {
  return (
    <>
      <p className="hint">{tools.developer.clockLead}</p>
      <Form
        label={tools.developer.advance}
        submit={tools.developer.advance}
        className="form line"
        tone="plain"
        send={({ minutes }) =>
          client.request<{ readonly now: string }>('/dev/clock', {
            method: 'POST',
            body: { advanceSeconds: Number(minutes) * 60 },
          })
        }
        onSent={({ now }) => announce(tools.developer.advanced(formatMoment(now)))}
      >
        <Select
          label={tools.developer.by}
          name="minutes"
          options={[5, 60, 1440].map((count) => ({ value: String(count), text: tools.developer.minutes(count) }))}
        />
      </Form>
    </>
  );
}

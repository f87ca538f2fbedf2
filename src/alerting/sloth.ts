/** An alert plan as a Sloth specification (`prometheus/v1`). */
import { type AlertPlan, WINDOW } from './alert-plan.ts';
import { yamlText } from './prometheus-rules.ts';

/**
 * Sloth chooses its own windows and factors (14.4, 6, 3, 1 over 30 days): at a target of 93 % or
 * less its fast page can never fire. The period is an option of Sloth's, not of the file.
 */
export function slothSpec(plan: AlertPlan): string {
  const { owner, runbook, rollback } = plan.people;
  return yamlText({
    version: 'prometheus/v1',
    service: plan.name,
    labels: { owner },
    slos: plan.slos.map(({ slo, title, targetShare, badQuery, validQuery }) => ({
      name: slo,
      objective: Number((targetShare * 100).toPrecision(12)),
      description: title,
      sli: {
        events: { error_query: asRate(badQuery), total_query: asRate(validQuery) },
      },
      alerting: {
        name: 'GoodputBudgetBurn',
        labels: { owner },
        annotations: { runbook, rollback },
        page_alert: { labels: { severity: 'page' } },
        ticket_alert: { labels: { severity: 'ticket' } },
      },
    })),
  });
}

/** Sloth's queries are rates over `[{{.window}}]`; the ratio of two is the same as of counts. */
function asRate(query: string): string {
  return query.replaceAll(/\bincrease\(([^()]*)\[\{\{\.window\}\}\]\)/g, `rate($1[${WINDOW}])`);
}

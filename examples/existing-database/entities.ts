import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, field, hasMany } from '@x/entity';

// The models began as what `npx @x/store-sqlite inspect shop.db customers orders` prints. Added are who owns a row, names
// of fields that read better, and what leads from one record to others.

const customerModel = defineModel('customers', {
  table: 'customers',
  managed: false,
  id: field.integer({ generated: 'database' }),
  columns: { id: 'customer_no', ownerId: 'account', createdAt: null, updatedAt: null },
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId, nullable: true }), // null in rows from before
    name: field.text({ maxLength: 80 }),
    email: field.text({ maxLength: 120, unique: true }),
    credit: field.decimal(10, 2, { default: '0', readOnly: true }),
  },
  relations: { orders: hasMany('orders', 'customerId') },
});

const orderModel = defineModel('orders', {
  table: 'orders',
  managed: false,
  id: field.text(), // chosen by who creates an order
  columns: { id: 'code', customerId: 'customer', ownerId: 'account', createdAt: 'placed', updatedAt: 'changed' },
  version: 'revision',
  fields: {
    customerId: field.integer({ references: 'customers' }),
    ownerId: field.text({ serverValue: ({ userId }) => userId, nullable: true }),
    total: field.decimal(10, 2),
    paid: field.boolean({ default: false, readOnly: true }),
  },
  relations: { customer: belongsTo('customerId') },
});

const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const access = { list: own, get: own, create: own, update: own, delete: own };

/** Customers see themselves and their orders. */
export const entities = [
  defineEntity({ model: customerModel, access }),
  defineEntity({ model: orderModel, access }),
] as const;

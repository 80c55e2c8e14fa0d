s/and o\.status = 'pending' and o\.deleted_at is null/and o.delivered_at is null &/
